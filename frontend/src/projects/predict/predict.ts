// The prediction: charts over its tables, the slider between cheaper and better, and how far the work is.
import { drawCharts } from "../charts";
import { followWork, type Standing } from "../run";

export function predict(root: HTMLElement): void {
  drawCharts(root);
  const form = root.querySelector<HTMLFormElement>("[data-dial]");
  if (form) slide(form, Array.from(root.querySelectorAll<HTMLElement>("[data-way]")));
  if (root.dataset.open === "yes") followWork(root, root.dataset.predict ?? "", inWords, () => window.location.reload());
}

function inWords({ done, total }: Standing): string {
  return total ? `${done.toLocaleString("en")} of ${total.toLocaleString("en")} images, over all ways to ask.` : "";
}

/** Show the way to ask at the slider's place, without a request. */
export function slide(form: HTMLFormElement, ways: HTMLElement[]): void {
  const dial = form.querySelector<HTMLInputElement>("input[type=range]");
  if (!dial) return;
  const button = form.querySelector("button");
  if (button) button.hidden = true;
  const show = (): void => {
    ways.forEach((way, place) => (way.hidden = place !== Number(dial.value)));
    dial.setAttribute("aria-valuetext", ways[Number(dial.value)]?.querySelector("h3")?.textContent?.trim() ?? "");
  };
  dial.addEventListener("input", show);
  show();
}
