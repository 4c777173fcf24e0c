// The prediction: charts over its tables, the slider between cheaper and better, and how far the work is.
import { drawAll } from "../dashboard/charts";

const EVERY_MS = 1000;

interface Standing {
  state: string;
  done: number;
  total: number;
}

export function predict(root: HTMLElement): void {
  drawAll(root);
  const form = root.querySelector<HTMLFormElement>("[data-dial]");
  if (form) slide(form, Array.from(root.querySelectorAll<HTMLElement>("[data-way]")));
  if (root.dataset.open === "yes") window.setTimeout(() => void look(root), EVERY_MS);
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

/** Ask once a second where the work stands; show the results when it has ended. */
async function look(root: HTMLElement): Promise<void> {
  try {
    const answer = await fetch(root.dataset.predict ?? "", { headers: { Accept: "application/json" } });
    if (answer.redirected || answer.status === 403 || answer.status === 404) return;
    if (answer.ok) {
      const now = (await answer.json()) as Standing;
      if (now.state !== "waiting" && now.state !== "running") return window.location.reload();
      const bar = root.querySelector("progress");
      if (bar && now.total) [bar.max, bar.value] = [now.total, now.done];
      const words = root.querySelector("[data-show=counts]");
      if (words && now.total) words.textContent = `${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")} images, over all ways to ask.`;
    }
  } catch {
    // The network or the service is away for a moment: the next request tells.
  }
  window.setTimeout(() => void look(root), EVERY_MS);
}
