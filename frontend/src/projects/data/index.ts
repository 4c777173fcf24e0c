/** The tools of the pages of data, for those elements that the page has. */
import { showSample } from "./preview";
import { runs } from "./run";
import { uploader } from "./upload";
import { swap } from "../page";

/** Parts of the page that a run changes: its lists, and the steps to the start. */
const CHANGED = ["main", "nav.path"];

export function startTools(): void {
  const panel = document.querySelector<HTMLElement>("[data-upload]");
  if (panel) uploader(panel);
  const list = document.querySelector<HTMLElement>("[data-sample]");
  if (list) showSample(list);
  const box = document.querySelector<HTMLElement>("[data-run]");
  if (box) {
    const stop = runs(box, () => {
      stop();
      void swap(CHANGED, box.dataset["ends"] || location.href).then((found) => found && startTools());
    });
  }
}
