/** Draws a chart over each table that asks for one. The table stays: it is the chart in words. */

import { make } from "./page";

interface Row {
  readonly name: string;
  /** null: unknown. */
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
}

/** A part of a row's bar, in the units of its values. */
/** As many letters of names stand below upright bars. */
const LETTERS = 50;

export function drawCharts(root: HTMLElement): void {
  for (const figure of root.querySelectorAll<HTMLElement>("[data-chart]")) draw(figure);
}

function rowsOf(table: HTMLTableElement): Row[] {
  return Array.from(table.tBodies[0]?.rows ?? [], ({ cells: [head, ...cells] }) => ({
    name: head?.textContent?.trim() ?? "",
    values: cells.map(({ dataset: { value } }) => (value ? Number(value) : null)),
    texts: cells.map((cell) => cell.textContent?.trim() ?? ""),
  }));
}

/** Four to eight steps between round values, from `least` or below to `most` or above. `whole`: no fractions. */
export function ticksOf(least: number, most: number, whole = false): number[] {
  const span = most - least || 4;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = Math.max(whole ? 1 : 0, power * ([5, 2].find((factor) => factor * power <= span / 4) ?? 1));
  const first = Math.floor(least / step + 1e-9);
  const count = Math.max(1, Math.ceil(most / step - 1e-9) - first);
  return Array.from({ length: count + 1 }, (_, place) => Number(((first + place) * step).toPrecision(12)));
}

/** The bar of a row: one part, one on the other for each series, or a range with a mark at the value. */
function partsOf(chart: string, { values }: Row): { readonly from: number; readonly to: number; readonly kind: string }[] {
  const [value = null, low = null, high = null] = values;
  if (value === null) return [];
  if (chart.startsWith("ranges")) return [{ from: low ?? value, to: high ?? value, kind: "bar" }, { from: value, to: value, kind: "point" }];
  let sum = 0;
  const shown = chart === "stacked" ? values : [value];
  return shown.map((one, place) => ({ from: sum, to: (sum += one ?? 0), kind: chart === "stacked" ? `bar series-${String(place)}` : "bar" }));
}

const textOf = (chart: string, { name, texts: [value = "", low = "", high = "", ...others] }: Row): string =>
  chart.startsWith("ranges") ? `${name}: ${value} (${low} to ${high})` : `${name}: ${chart === "stacked" ? [value, low, high, ...others].filter(Boolean).join(", ") : value}`;

const span = (kind: string, ...inside: (Node | string)[]): HTMLElement => make("span", { className: kind }, ...inside);

function draw(figure: HTMLElement): void {
  const table = figure.querySelector("table");
  const place = figure.querySelector<HTMLElement>(".drawing");
  if (!table || !place) return;
  const { chart = "bars" } = figure.dataset;
  const shares = chart === "shares" || chart === "ranges-share";
  const rows = rowsOf(table);
  const bars = rows.map((row) => partsOf(chart, row));
  const ends = bars.flat().flatMap(({ from, to }) => [from, to]);
  const ticks = ticksOf(chart === "ranges-share" ? Math.min(1, ...ends) : 0, shares ? 1 : Math.max(0, ...ends), chart === "stacked");
  const [first = 0, last = 1] = [ticks[0], ticks.at(-1)];
  const share = (value: number): string => `${String((100 * (value - first)) / (last - first))}%`;
  const words = (value: number): string => (shares ? `${String(Math.round(100 * value))} %` : value.toLocaleString("en"));

  const plot = span(`plot ${chart === "bars" || chart === "stacked" ? "upright" : "sideways"}`);
  plot.role = "img";
  plot.ariaLabel = `${figure.querySelector("h3")?.textContent ?? "Chart"}. The numbers are below.`;
  plot.style.setProperty("--steps", String(ticks.length - 1));
  const scale = span("scale", ...ticks.map((value) => part(span("tick", words(value)), share(value))));
  const longest = Math.max(...rows.map(({ name }) => name.length));
  const every = plot.classList.contains("upright") ? Math.ceil(rows.length / Math.max(2, Math.floor(LETTERS / (longest + 1)))) : 1;
  const entries = rows.map((row, at) => {
    const track = span("track", ...(bars[at] ?? []).map(({ from, to, kind }) => part(span(kind), share(from), share(to))));
    return make("span", { className: "entry", title: textOf(chart, row) }, span("name", at % every ? "" : row.name), track);
  });
  plot.append(span("rows", ...entries), scale);
  place.replaceChildren(plot, ...(chart === "stacked" ? [legendOf(table)] : []));
  place.hidden = false;
}

function part(shown: HTMLElement, from: string, to = from): HTMLElement {
  shown.style.setProperty("--from", from);
  shown.style.setProperty("--to", to);
  return shown;
}

function legendOf(table: HTMLTableElement): HTMLElement {
  const names = Array.from(table.tHead?.rows[0]?.cells ?? [], (cell) => cell.textContent?.trim() ?? "").slice(1);
  return span("series", ...names.map((name, at) => span(`series-${String(at)}`, name)));
}

// The prediction: charts over its tables, and the slider between cheaper and better.

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
