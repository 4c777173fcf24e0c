/** The part of the page of data that uploads files. */
import { type Answer, type Chosen, type Here, Sender } from "./send";
import { belongs, isPicture, placeOf } from "./place";
import { bytesInWords, find, plural, token } from "./page";

type Summary = { count: number; begun: number; pictures: number; bytes: number; format: string; problem: string };

/** Texts below this size are sent again when they are chosen again: they may have changed without growing. */
const SMALL_TEXT = 8 << 20;

export function uploader(panel: HTMLElement): void {
  const address = panel.dataset["upload"] ?? "";
  const piece = Number(panel.dataset["piece"]);
  const sending = find(panel, "[data-sending]");
  const bar = find<HTMLProgressElement>(sending, "progress");
  const sent = find(panel, "[data-show=sent]");
  const trouble = find(panel, "[data-show=trouble]");
  const ignored = find(panel, "[data-show=ignored]");
  const drop = find(panel, "[data-drop]");
  const pause = find<HTMLButtonElement>(panel, "[data-do=pause]");
  const resume = find<HTMLButtonElement>(panel, "[data-do=resume]");
  let sender: Sender | null = null;

  const send = async (path: string, offset: number, size: number, data: Blob, signal: AbortSignal): Promise<Answer> => {
    const query = new URLSearchParams({ path, offset: String(offset), size: String(size) });
    const headers = { "X-CSRFToken": token(), "Content-Type": "application/octet-stream" };
    const answer = await fetch(`${address}?${query.toString()}`, { method: "POST", headers, body: data, signal });
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    return { status: answer.status, body: isJson ? ((await answer.json()) as Answer["body"]) : {} };
  };

  const look = async (): Promise<Summary & { files: Here }> =>
    (await (await fetch(address, { headers: { Accept: "application/json" } })).json()) as Summary & { files: Here };

  const showHere = (now: Summary): void => {
    const others = now.count - now.pictures;
    const found = now.format ? `Format: ${now.format}.` : now.problem && `The files ${now.problem}.`;
    find(panel, "[data-show=here]").textContent = now.count
      ? `${plural(now.pictures, "picture")} and ${plural(others, "other file")} are here (${bytesInWords(now.bytes)}). ${found}`
      : "";
    const button = document.querySelector<HTMLButtonElement>("[data-import] button");
    if (button) button.disabled = !now.format;
    if (button && now.format) button.focus({ preventScroll: true });
  };

  const upload = async (files: readonly { path: string; file: File }[]): Promise<void> => {
    if (sender || !files.length) return;
    const taken = files.filter((one) => belongs(one.path));
    const chosen: Chosen[] = taken.map(({ path, file }) => ({
      path: placeOf(path),
      file,
      again: !isPicture(path) && file.size < SMALL_TEXT,
    }));
    ignored.hidden = taken.length === files.length;
    ignored.textContent = `${plural(files.length - taken.length, "file")} of other kinds are left out.`;
    trouble.hidden = true;
    sending.hidden = false;
    pause.hidden = false;
    resume.hidden = true;
    drop.hidden = true;
    try {
      const here = (await look()).files;
      const begun = performance.now();
      sender = new Sender(chosen, here, piece, send, (now, why) => {
        bar.max = Math.max(1, now.allBytes);
        bar.value = now.bytes;
        const figures = `${now.files} of ${plural(now.allFiles, "file")}, ${bytesInWords(now.bytes)} of ${bytesInWords(now.allBytes)}`;
        sent.textContent = why ? `${figures}. ${why}` : figures;
      });
      const whole = await sender.run();
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      sent.textContent = whole ? `${plural(chosen.length, "file")} sent in ${seconds} s.` : "Cancelled. What has arrived stays here.";
      if (sender.refused.length) {
        trouble.hidden = false;
        trouble.textContent = sender.refused.slice(0, 5).map((one) => one.why).join(" ") +
          (sender.refused.length > 5 ? ` And ${sender.refused.length - 5} more.` : "");
      }
      showHere(await look());
    } catch {
      trouble.hidden = false;
      trouble.textContent = "The service does not answer. Choose the same files again to go on.";
    } finally {
      sender = null;
      drop.hidden = false;
      for (const button of sending.querySelectorAll<HTMLButtonElement>("button")) button.hidden = true;
    }
    // The page says which pictures are still missing.
    if (panel.dataset["reload"] !== undefined && trouble.hidden) location.reload();
  };

  for (const input of panel.querySelectorAll<HTMLInputElement>("[data-choose]")) {
    const take = (): void => {
      for (const button of sending.querySelectorAll<HTMLButtonElement>("button")) button.hidden = false;
      void upload([...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
      input.value = "";
    };
    input.addEventListener("change", take);
    // Files may have been chosen before this script was loaded.
    if (input.files?.length) take();
  }
  pause.addEventListener("click", () => {
    sender?.pause();
    pause.hidden = true;
    resume.hidden = false;
    resume.focus();
  });
  resume.addEventListener("click", () => {
    sender?.resume();
    resume.hidden = true;
    pause.hidden = false;
    pause.focus();
  });
  find(panel, "[data-do=cancel]").addEventListener("click", () => sender?.cancel());
  window.addEventListener("beforeunload", (event) => {
    if (sender) event.preventDefault();
  });

  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
    for (const button of sending.querySelectorAll<HTMLButtonElement>("button")) button.hidden = false;
    void Promise.all(entries.map((entry) => (entry ? walk(entry) : []))).then((found) => upload(found.flat()));
  });
}

/** The files of a dropped file or folder, with their paths. */
async function walk(entry: FileSystemEntry): Promise<{ path: string; file: File }[]> {
  if (entry instanceof FileSystemFileEntry) {
    const file = await new Promise<File>((done, fail) => entry.file(done, fail));
    return [{ path: entry.fullPath.slice(1), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: { path: string; file: File }[] = [];
  // A reader hands out its entries a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return found;
    for (const one of some) found.push(...(await walk(one)));
  }
}
