/** The part of the page of data that uploads files. */

import {
  type Chosen,
  dropped,
  type Found,
  type Here,
  isOfDataSet,
  isPicture,
  type PieceReply,
  placesOf,
  type Refused,
  Sender,
} from "./send";
import type { Returned, Taken } from "../../api/call";
import { exchange, request } from "../../api/client";
import { stored } from "../../storage";
import { bytesInWords, find, make, plural, problemInWords } from "../page";

type Files = Returned<"files">;

/** Texts below this size are sent again when they are chosen again: they may have changed without growing. */
const SMALL_TEXT = 8 << 20;

export function uploader(panel: HTMLElement): void {
  let address = panel.dataset["upload"] ?? "";
  const start = panel.dataset["new"] === undefined ? null : newProject(panel);
  const sending = find(panel, "[data-sending]");
  const bar = find<HTMLProgressElement>(sending, "progress");
  const drop = find(panel, "[data-drop]");
  const show = (name: string): HTMLElement => find(panel, `[data-show=${name}]`);
  const [sent, trouble] = [show("sent"), show("trouble")];
  const [pause, resume, cancel] = ["pause", "resume", "cancel"].map((what) => find(panel, `[data-do=${what}]`)) as [HTMLElement, HTMLElement, HTMLElement];
  let sender: Sender | null = null;

  const send = async (path: string, offset: number, size: number, data: Blob, signal: AbortSignal): Promise<PieceReply> => {
    const query = new URLSearchParams({ path, offset: String(offset), size: String(size) });
    const { status, body = {} } = await exchange(`${address}?${query.toString()}`, { body: data, signal });
    return { status, body: body as PieceReply["body"] };
  };

  const look = () => request<"files">(address);

  const showHere = (now: Files): void => {
    show("here").textContent = now.summary;
    const button = document.querySelector<HTMLButtonElement>("[data-import] button");
    if (button) button.disabled = !now.format;
    if (!button || !now.format) return;
    for (const other of document.querySelectorAll("main .main")) other.classList.remove("main");
    button.classList.add("main");
    button.focus({ preventScroll: true });
  };
  const complain = (why: string): void => {
    trouble.hidden = !why;
    trouble.textContent = why;
  };

  /** Send the files. Returns whether all of them have arrived. */
  const sendAll = async (chosen: readonly Chosen[], folder: boolean): Promise<boolean> => {
    complain("");
    for (const shown of [sending, pause, cancel]) shown.hidden = false;
    for (const other of [resume, drop]) other.hidden = true;
    remember(address, chosen, folder);
    let [done, whole] = [0, false];
    try {
      const files = await look();
      const begun = performance.now();
      sender = new Sender(chosen, hereOf(files), files.piece_bytes, send, (now, why) => {
        done = now.files;
        bar.max = Math.max(1, now.allBytes);
        bar.value = now.bytes;
        const figures = `${now.files} of ${plural(now.allFiles, "file")}, ${bytesInWords(now.bytes)} of ${bytesInWords(now.allBytes)}`;
        sent.textContent = why ? `${figures}. ${why}` : figures;
      });
      whole = await sender.run();
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      const arrived = plural(chosen.length - sender.refused.length, "file");
      sent.textContent = whole ? `${arrived} sent in ${seconds} s.` : `Cancelled. ${broken(done, chosen.length, folder)}`;
      if (whole) forget(address);
      showReasons(show("refused"), byReason(sender.refused));
      if (sender.refused.length) whole = false;
      showHere(await look());
    } catch {
      complain(`The service does not answer. ${broken(done, chosen.length, folder)}`);
      whole = false;
    } finally {
      sender = null;
      drop.hidden = false;
      for (const button of [pause, resume, cancel]) button.hidden = true;
    }
    return whole;
  };

  const upload = async (files: readonly Found[], folder: boolean): Promise<void> => {
    if (sender || !files.length) return;
    const taken = files.filter((one) => isOfDataSet(one.path));
    const others = files.filter((one) => !isOfDataSet(one.path)).map((one) => one.path);
    showReasons(show("ignored"), others.length ? [["is neither a picture nor a text of a data set: left out.", others]] : []);
    if (!taken.length) return;
    if (start) {
      try {
        address = await start.filesOf(taken);
      } catch (error) {
        return complain(problemInWords(error));
      }
    }
    const places = placesOf(taken.map((one) => one.path));
    const whole = await sendAll(taken.map(({ path, file }, number) => ({
      path: places[number] ?? path,
      file,
      again: !isPicture(path) && file.size < SMALL_TEXT,
    })), folder);
    if (start && whole) return start.leave(Boolean((await look()).format));
    // The page says which pictures are still missing.
    if (panel.dataset["reload"] !== undefined && whole) location.reload();
  };

  /** Send a file in the place of one by which an import failed, and let the import go on. */
  const replace = async (path: string, file: File): Promise<void> => {
    if (!sender && (await sendAll([{ path, file, again: true }], false))) {
      document.querySelector<HTMLButtonElement>("[data-run] [value=resume]")?.click();
    }
  };

  onFiles(panel, "choose", (files, what) => {
    void upload(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })), what === "folder");
  });
  for (const [button, other, what] of [[pause, resume, "pause"], [resume, pause, "resume"]] as const)
    button.addEventListener("click", () => {
      sender?.[what]();
      button.hidden = true;
      other.hidden = false;
      other.focus();
    });
  cancel.addEventListener("click", () => sender?.cancel());
  window.addEventListener("beforeunload", (event) => {
    if (sender) event.preventDefault();
  });

  onFiles(document, "replace", ([file], path) => {
    if (file) void replace(path, file);
  });

  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    void dropped(event.dataTransfer).then(({ files, unread }) => {
      const none = files.length || unread.length ? "" : "Nothing was dropped that this page can read: drop pictures, texts or a folder, or choose them.";
      const missed = unread.length ? `The browser could not read ${unread.slice(0, 5).join(", ")}${unread.length > 5 ? ` and ${plural(unread.length - 5, "other file")}` : ""}: choose the folder with the button instead.` : "";
      return upload(files, files.some((one) => one.path.includes("/"))).then(() => {
        if (none || missed) complain(none || missed);
      });
    });
  });
  // A file that misses its place would be opened in place of this page.
  for (const kind of ["dragover", "drop"]) {
    window.addEventListener(kind, (event) => {
      if (!(event.target instanceof Element && event.target.closest("input, textarea"))) event.preventDefault();
    });
  }
  show("droppable").hidden = false;
  const before = start ? null : remembered(address);
  if (before) {
    void look().then((now) => {
      const said = standing(before, hereOf(now));
      if (!said) forget(address);
      else if (!sender) complain(said);
    }, () => undefined);
  }
}

/** Pass on the files of every input `data-NAME`, with the value of the attribute: also files that were chosen before this script was loaded. */
function onFiles(where: ParentNode, name: string, act: (files: File[], value: string) => void): void {
  for (const input of where.querySelectorAll<HTMLInputElement>(`[data-${name}]`)) {
    const take = (): void => {
      const files = [...(input.files ?? [])];
      input.value = "";
      act(files, input.dataset[name] ?? "");
    };
    input.addEventListener("change", take);
    if (input.files?.length) take();
  }
}

/** The project that files make which are dropped where there is none. */
function newProject(panel: HTMLElement) {
  const { new: newAt = "", upload: filesAt = "", imports: importsAt = "", page: pageAt = "" } = panel.dataset;
  let name = "";
  const own = (address: string): string => address.replace("/new-project/", `/${name}/`);
  return {
    /** Make the project once, with the title that was given or else that of the folder, and return the address of its files. */
    async filesOf(files: readonly Found[]): Promise<string> {
      const folder = files[0]?.path.includes("/") ? (files[0].path.split("/")[0] ?? "") : "";
      const given = find<HTMLInputElement>(panel, "[data-title]").value.trim();
      const title = given || `${folder || "Pictures"}, ${new Date().toLocaleString("sv")}`;
      if (!name) ({ name } = await request<"create_project">(newAt, { body: { title } as Taken<"create_project"> }));
      return own(filesAt);
    },
    /** Go to the page of the project's data, where the import of what is complete has begun. */
    async leave(complete: boolean): Promise<void> {
      if (complete) await request<"begin_import">(own(importsAt), { body: {} as Taken<"begin_import"> }).catch(() => null);
      location.assign(own(pageAt));
    },
  };
}

const hereOf = ({ files }: Files): Here => Object.fromEntries(files.map(({ path, received, size }) => [path, [received, size]]));

const MOST_NAMED = 200;

/** The names by their reason, the commonest reason first. */
export function byReason(refused: readonly Refused[]): [reason: string, names: string[]][] {
  const found = new Map<string, string[]>();
  for (const { path, why } of refused) found.set(why, [...(found.get(why) ?? []), path]);
  return [...found].sort(([, one], [, other]) => other.length - one.length);
}

/** Show the reasons in this place: a line for a single file, otherwise a line that opens to the names. */
export function showReasons(place: HTMLElement, reasons: readonly (readonly [string, readonly string[]])[]): void {
  place.hidden = !reasons.length;
  place.replaceChildren(...reasons.map(([reason, names]) => line(reason, names)));
}

function line(reason: string, names: readonly string[]): HTMLElement {
  if (names.length === 1) return make("p", {}, `${names[0] ?? ""} ${reason}`);
  const listed = names.slice(0, MOST_NAMED).map((name) => make("li", {}, name));
  const more = names.length > MOST_NAMED ? [make("li", {}, `and ${(names.length - MOST_NAMED).toLocaleString("en")} more`)] : [];
  const summary = make("summary", {}, `${names.length.toLocaleString("en")} files: each ${reason}`);
  return make("details", {}, summary, make("ul", { className: "names" }, ...listed, ...more));
}

type Unfinished = { paths: string[]; folder: boolean };

const MOST_PATHS = 20_000;

const keyOf = (address: string): string => `upload ${address}`;

/** Remember what was chosen, before any of it is sent. A browser that keeps nothing tells nothing later. */
function remember(address: string, chosen: readonly Chosen[], folder: boolean): void {
  const unfinished: Unfinished = { paths: chosen.slice(0, MOST_PATHS).map((one) => one.path), folder };
  stored((storage) => storage.setItem(keyOf(address), JSON.stringify(unfinished)), undefined);
}

const forget = (address: string): void => stored((storage) => storage.removeItem(keyOf(address)), undefined);

const remembered = (address: string): Unfinished | null =>
  stored((storage) => JSON.parse(storage.getItem(keyOf(address)) ?? "null") as Unfinished | null, null);

/** How far a broken upload came, and what to do; empty if all of it is here, or nothing any more. */
export function standing(one: Unfinished, here: Here): string {
  const sent = one.paths.filter((path) => here[path] && here[path][0] === here[path][1]).length;
  return sent && sent < one.paths.length ? broken(sent, one.paths.length, one.folder) : "";
}

function broken(sent: number, all: number, folder: boolean): string {
  const again = folder ? "choose the same folder" : "choose the same files";
  return `${sent.toLocaleString("en")} of ${plural(all, "file")} sent: ${again} again, and the upload goes on.`;
}
