// The dashboard: charts over its tables, and numbers that follow the work while the page is looked at.

import type { Returned } from "../../api/call";
import { drawCharts } from "../charts";
import { make } from "../page";
import { followAddress } from "../run";

export function dashboard(root: HTMLElement): void {
  drawCharts(root);
  followNumbers(root, root.dataset.dashboard ?? "");
}

const EVERY = 10_000;

type Figures = Returned<"dashboard">;

/** Keep the numbers up to date. Returns a function that ends this. */
export function followNumbers(root: HTMLElement, address: string): () => void {
  return followAddress<"dashboard" | "results">(address, {
    every: EVERY,
    on: (live) => {
      showNumbers(root, live);
      return "go on";
    },
    trouble: (words) => say(root, words),
  }).stop;
}

/** Say above the numbers why they stand still. */
function say(root: HTMLElement, words: string): void {
  const said = root.querySelector("[data-trouble]");
  if (!words) return said?.remove();
  const line = said ?? make("p", { className: "error", role: "alert" });
  line.setAttribute("data-trouble", "");
  line.textContent = words;
  if (!said) root.prepend(line);
}

function showNumbers(root: HTMLElement, live: Figures): void {
  for (const place of root.querySelectorAll<HTMLElement | SVGElement>("[data-live]")) {
    const text = live.texts[place.dataset.live ?? ""];
    if (text !== undefined && place.textContent !== text) place.textContent = text;
  }
  const list = root.querySelector("[data-needs]");
  const none = root.querySelector<HTMLElement>("[data-no-needs]");
  if (!list || !none) return;
  const made = live.needs.map(item);
  // Untouched while nothing changes: a link that has the focus keeps it.
  const wanted = made.map((one) => one.textContent).join();
  if (wanted !== Array.from(list.children, (one) => one.textContent?.replace(/\s+/g, " ").trim()).join()) {
    list.replaceChildren(...made);
  }
  none.hidden = live.needs.length > 0;
}

function item({ count, label, words, url }: Figures["needs"][number]): HTMLLIElement {
  const named = make("span", {}, `${label} `, make("small", {}, words));
  return make("li", {}, make("a", { href: url }, make("b", {}, String(count)), " ", named));
}
