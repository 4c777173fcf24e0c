/** The tools of the pages of data and of long work, for those elements that the page has. */
import { showSample } from "./preview";
import { uploader } from "./upload";
import { swap } from "../page";
import { showRun } from "../run";

/** Parts of the page of data that a run changes: its lists, and the steps to the start. */
const CHANGED = ["main", "nav.path"];
/** Parts of a page on which a form is filled in meanwhile, and stays. */
const LIVE = ["[data-live]", "button.main"];

export function startTools(): void {
  const panel = document.querySelector<HTMLElement>("[data-upload]");
  if (panel) uploader(panel);
  const list = document.querySelector<HTMLElement>("[data-sample]");
  if (list) showSample(list);
  const box = document.querySelector<HTMLElement>("[data-run]");
  if (!box) return;
  const stop = showRun(box, () => {
    stop();
    const { ends } = box.dataset;
    const live = document.querySelector("[data-live]") !== null;
    if (!ends && !live) return window.location.reload();
    void swap(live ? LIVE : CHANGED, ends || location.href).then((found) => found && startTools());
  });
}
