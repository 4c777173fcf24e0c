// The prediction: charts over its tables, and the slider between cheaper and better.
import { drawCharts } from "../charts";

export function predict(root: HTMLElement): void {
  drawCharts(root);
  const form = root.querySelector<HTMLFormElement>("[data-dial]");
  if (form) slide(form, Array.from(root.querySelectorAll<HTMLElement>("[data-way]")));
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
