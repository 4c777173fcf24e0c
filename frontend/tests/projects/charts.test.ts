import { beforeEach, expect, test } from "vitest";
import { drawCharts, ticksOf } from "../../src/projects/charts";

const cell = (value: string): string => `<td data-value="${value}">${value}</td>`;
const chart = (kind: string, head: string[], rows: Record<string, string[]>): void => {
  const body = Object.entries(rows).map(([name, values]) => `<tr><th>${name}</th>${values.map(cell).join("")}</tr>`);
  document.body.innerHTML = `<figure data-chart="${kind}"><h3>Work</h3><div class="drawing" hidden></div>
    <table><thead><tr>${head.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>${body.join("")}</tbody></table></figure>`;
  drawCharts(document.body);
};
const of = (selector: string): [string, string, string][] =>
  Array.from(document.querySelectorAll<HTMLElement>(selector), (part) => [part.className, part.style.getPropertyValue("--from"), part.style.getPropertyValue("--to")]);
const titles = (): string[] => Array.from(document.querySelectorAll<HTMLElement>(".entry"), (bar) => bar.title);

beforeEach(() => document.body.replaceChildren());

test.each([
  [0, 100, false, [0, 20, 40, 60, 80, 100]],
  [0, 0.9, false, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [0.62, 1, false, [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1]],
  [0, 2, true, [0, 1, 2]],
  [0, 0, false, [0, 1]],
])("the scale from %f to %f has round steps", (least, most, whole, ticks) => {
  expect(ticksOf(least, most, whole)).toEqual(ticks);
});

test("a bar is as long as its value, and a value that is unknown has none", () => {
  chart("sideways", ["task", "seconds"], { link: ["50"], box: ["100"], chain: [""] });
  expect(of(".bar")).toEqual([["bar", "0%", "50%"], ["bar", "0%", "100%"]]);
  expect(titles()).toEqual(["link: 50", "box: 100", "chain: "]);
  expect(document.querySelector(".plot")?.ariaLabel).toBe("Work. The numbers are below.");
});

test("series stand one on the other, with a legend", () => {
  chart("stacked", ["score", "link", "box"], { "0.9": ["1", "3"], "1.0": ["0", "2"] });
  expect(of(".bar").slice(0, 2)).toEqual([["bar series-0", "0%", "25%"], ["bar series-1", "25%", "100%"]]);
  expect(document.querySelector(".series")?.children).toHaveLength(2);
});

test("a range has a mark at its value, in per cent where it is a share", () => {
  chart("ranges-share", ["share", "value", "low", "high"], { precision: ["0.9", "0.8", "1"] });
  expect(of(".bar, .point")).toEqual([["bar", "0%", "100%"], ["point", "50%", "50%"]]);
  expect(titles()).toEqual(["precision: 0.9 (0.8 to 1)"]);
  expect(document.querySelector(".tick")?.textContent).toBe("80 %");
});
