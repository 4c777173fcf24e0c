/** Files that were dropped or chosen, with their paths and their places among the uploaded ones. */

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
