/** The tools of the pages of data, for those elements that the page has. */
import { localize } from "../../local_time";
import { preview } from "./preview";
import { runs } from "./run";
import { uploader } from "./upload";

export function start(): void {
  const panel = document.querySelector<HTMLElement>("[data-upload]");
  if (panel) uploader(panel);
  const list = document.querySelector<HTMLElement>("[data-sample]");
  if (list) preview(list);
  const box = document.querySelector<HTMLElement>("[data-run]");
  if (box) {
    const stop = runs(box, () => {
      stop();
      void renew(box.dataset["ends"] || location.href);
    });
  }
}

/** Parts of the page that a run changes: its lists, and the steps to the start. */
const CHANGED = ["main", "nav.path"];

/** Put the page as it is now in the place of this one, without loading it. */
async function renew(address: string): Promise<void> {
  const answer = await fetch(address);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!fresh.querySelector("main")) return;
  for (const part of CHANGED) {
    const now = fresh.querySelector(part);
    if (now) document.querySelector(part)?.replaceWith(document.adoptNode(now));
  }
  localize(document);
  start();
}
