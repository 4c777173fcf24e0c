
/** Send files in pieces: each goes on where the server says it has come to, and is tried again while the network fails. */

export type Chosen = { path: string; file: Blob; again: boolean };
/** `again`: send it even if a file of this size is there, as its text may have changed. */

export type Here = Record<string, readonly [received: number, size: number]>;
type UploadProgress = { files: number; bytes: number; allFiles: number; allBytes: number };
export type PieceReply = { status: number; body: { received?: number; why?: string } };
export type Send = (path: string, offset: number, size: number, data: Blob, signal: AbortSignal) => Promise<PieceReply>;

const AT_ONCE = 3;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/** A file that the server does not take; the other files go on. `why` completes the sentence that begins with the path. */
export type Refused = { path: string; why: string };

export class Sender {
  readonly refused: Refused[] = [];
  private readonly stopper = new AbortController();
  private readonly sent = new Map<string, number>();
  private waiting: (() => void)[] = [];
  private files = 0;
  private paused = false;

  constructor(
    private readonly chosen: readonly Chosen[],
    private readonly here: Here,
    private readonly piece: number,
    private readonly send: Send,
    private readonly changed: (progress: UploadProgress, trouble: string) => void,
    private readonly wait: (ms: number) => Promise<void> = (ms) => new Promise((done) => setTimeout(done, ms)),
  ) {}

  /** Send everything. Returns whether it was not cancelled. */
  async run(): Promise<boolean> {
    const queue = [...this.chosen];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next && !this.cancelled; next = queue.shift()) await this.one(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return !this.cancelled;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    for (const go of this.waiting.splice(0)) go();
  }

  cancel(): void {
    this.stopper.abort();
    this.resume();
  }

  get cancelled(): boolean {
    return this.stopper.signal.aborted;
  }

  get progress(): UploadProgress {
    let bytes = 0;
    for (const count of this.sent.values()) bytes += count;
    const allBytes = this.chosen.reduce((sum, one) => sum + one.file.size, 0);
    return { files: this.files, bytes, allFiles: this.chosen.length, allBytes };
  }

  private async one({ path, file, again }: Chosen): Promise<void> {
    const [received, size] = this.here[path] ?? [0, 0];
    let offset = size === file.size && !(again && received === size) ? received : 0;
    let pause = FIRST_WAIT;
    while (offset < file.size && !this.cancelled) {
      this.note(path, offset, "");
      if (this.paused) await new Promise<void>((go) => this.waiting.push(go));
      if (this.cancelled) return;
      const answer = await this.try(path, offset, file);
      if (answer && answer.status === 200) {
        offset = answer.body.received ?? offset;
        pause = FIRST_WAIT;
      } else if (answer && answer.status === 409) {
        offset = answer.body.received ?? 0;
      } else if (answer && answer.status >= 400 && answer.status < 500 && answer.status !== 429 && answer.status !== 408) {
        this.refused.push({ path, why: answer.body.why ?? `was refused (${answer.status}).` });
        offset = file.size;
      } else if (!this.cancelled) {
        this.note(path, offset, "The service does not answer. Trying again …");
        await this.wait(pause);
        pause = Math.min(pause * 2, LONGEST_WAIT);
      }
    }
    this.files += 1;
    this.note(path, file.size, "");
  }

  private async try(path: string, offset: number, file: Blob): Promise<PieceReply | null> {
    try {
      return await this.send(path, offset, file.size, file.slice(offset, offset + this.piece), this.stopper.signal);
    } catch {
      return null;
    }
  }

  private note(path: string, bytes: number, trouble: string): void {
    this.sent.set(path, bytes);
    this.changed(this.progress, trouble);
  }
}

export type Found = { path: string; file: File };
type Dropped = { files: Found[]; unread: string[] };
/** `unread`: paths of files and folders that the browser could not read. */

/** What a drop brought. Its items are read at once: the browser forgets them when the event is over. */
export async function dropped(data: DataTransfer | null): Promise<Dropped> {
  const entries: FileSystemEntry[] = [];
  const files: Found[] = [];
  for (const item of [...(data?.items ?? [])].filter((one) => one.kind === "file")) {
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) entries.push(entry);
    if (file) files.push({ path: file.name, file });
  }
  const all: Dropped = { files, unread: [] };
  for (const entry of entries) await walk(entry, all);
  return all;
}

// Chromium has no `FileSystemFileEntry` to ask for with instanceof: an entry itself says what it is.
async function walk(entry: FileSystemEntry, all: Dropped): Promise<void> {
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      all.files.push({ path: entry.fullPath.replace(/^\//, "") || file.name, file });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader hands out its entries a hundred at a time.
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return;
      for (const one of some) await walk(one, all);
    }
  } catch {
    all.unread.push(entry.fullPath.replace(/^\//, ""));
  }
}

const PICTURES = /\.(jpe?g|png|webp|gif|bmp)$/i;
const TEXTS = /\.(txt|xml|json|jsonl|csv|zip)$/i;
/** Folders of Flickr30k Entities that may be chosen one after the other: their names say what is in them. */
const NAMED = /^(Sentences|Annotations)$/;
const CLUTTER = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/;

export function isPicture(path: string): boolean {
  return PICTURES.test(path);
}

/** Whether a data set may hold such a file. */
export function isOfDataSet(path: string): boolean {
  return (PICTURES.test(path) || TEXTS.test(path)) && !CLUTTER.test(path);
}

/**
 * The paths without the name of the one folder that holds them all. Pictures that lie in no folder go into `images/`,
 * where every format looks. Of several folders each keeps its name: pictures in two of them may be called alike.
 */
export function placesOf(paths: readonly string[]): string[] {
  const parts = paths.map((path) => path.split("/").filter(Boolean));
  const folder = parts[0]?.[0];
  const isOne = !NAMED.test(folder ?? "") && parts.every((one) => one.length > 1 && one[0] === folder);
  return parts.map((one) => {
    const inside = one.slice(isOne ? 1 : 0).join("/");
    return isPicture(inside) && !inside.includes("/") ? `images/${inside}` : inside;
  });
}
