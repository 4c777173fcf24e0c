// Draws a chart over each table that asks for one. The table stays: it is the chart in words.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  Legend,
  Tooltip,
  type ChartConfiguration,
} from "chart.js";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend, Tooltip);

interface Numbers {
  labels: string[];
  series: { label: string; data: number[] }[];
}

export function drawAll(root: HTMLElement): void {
  const drawn: (() => void)[] = [];
  for (const figure of root.querySelectorAll<HTMLElement>("[data-chart]")) drawn.push(draw(figure));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const again of drawn) again();
  });
}

export function numbersOf(table: HTMLTableElement): Numbers {
  const heads = Array.from(table.tHead?.rows[0]?.cells ?? [], (cell) => cell.textContent?.trim() ?? "");
  const rows = Array.from(table.tBodies[0]?.rows ?? []);
  return {
    labels: rows.map((row) => row.cells[0]?.textContent?.trim() ?? ""),
    series: heads.slice(1).map((label, place) => ({
      label,
      data: rows.map((row) => Number((row.cells[place + 1] as HTMLElement | undefined)?.dataset.value || "0")),
    })),
  };
}

function draw(figure: HTMLElement): () => void {
  const table = figure.querySelector("table");
  const place = figure.querySelector<HTMLElement>(".canvas");
  if (!table || !place) return () => undefined;
  const numbers = numbersOf(table);
  const kind = figure.dataset.chart ?? "bars";
  place.hidden = false;
  place.classList.add(kind);
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${figure.querySelector("h3")?.textContent ?? "Chart"}. The numbers are below.`);
  place.replaceChildren(canvas);
  let chart = new Chart(canvas, configuration(kind, numbers));
  return () => {
    chart.destroy();
    chart = new Chart(canvas, configuration(kind, numbers));
  };
}

function configuration(kind: string, numbers: Numbers): ChartConfiguration<"bar"> {
  if (kind.startsWith("ranges")) return ranges(numbers, kind === "ranges-share");
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const sideways = kind === "sideways" || kind === "shares";
  const stacked = kind === "stacked";
  const series = stacked ? numbers.series : numbers.series.slice(0, 1);
  const values = { grid: { color: colour("--line") }, ticks: { color: colour("--quiet"), precision: stacked ? 0 : undefined }, beginAtZero: true, stacked };
  const share = { ...values, max: 1, ticks: { ...values.ticks, callback: (value: string | number) => `${Math.round(Number(value) * 100)} %` } };
  const names = { grid: { display: false }, ticks: { color: colour("--quiet"), maxRotation: 0, autoSkipPadding: 12 }, stacked };
  const along = kind === "shares" ? share : values;
  return {
    type: "bar",
    data: {
      labels: numbers.labels,
      datasets: series.map((one, place) => ({
        label: one.label,
        data: one.data,
        backgroundColor: stacked ? colour(`--c${place}`) : colour("--accent"),
        borderRadius: stacked ? 0 : 2,
        maxBarThickness: 28,
      })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: sideways ? "y" : "x",
      scales: sideways ? { x: along, y: { ...names, ticks: { ...names.ticks, autoSkip: false } } } : { x: names, y: along },
      plugins: {
        legend: { display: stacked, position: "bottom", labels: { color: colour("--ink"), boxWidth: 12 } },
        tooltip: {
          callbacks: kind === "shares" ? { label: (item) => `${(Number(item.raw) * 100).toFixed(1)} %` } : {},
        },
      },
    },
  };
}

/** Bars from low to high with a mark at the value. Columns: value, low, high. */
function ranges(numbers: Numbers, shares: boolean): ChartConfiguration<"bar"> {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [values, lows, highs] = numbers.series.map((one) => one.data);
  const words = (value: number) => (shares ? `${(100 * value).toFixed(1)} %` : value.toLocaleString("en"));
  const bars = (values ?? []).map((_, place): [number, number] => [lows?.[place] ?? 0, highs?.[place] ?? 0]);
  const width = (Math.max(...(highs ?? [0])) - Math.min(...(lows ?? [0]))) / 250;
  const marks = (values ?? []).map((value): [number, number] => [value - width, value + width]);
  const ticks = { color: colour("--quiet") };
  // On a phone long names would leave no room for the bars.
  const narrow = window.innerWidth < 640;
  const along = { ...ticks, callback: (value: string | number) => (shares ? `${Math.round(Number(value) * 100)} %` : Number(value).toLocaleString("en")) };
  return {
    type: "bar",
    data: {
      labels: narrow ? numbers.labels.map((label) => label.split(", ")) : numbers.labels,
      datasets: [
        { label: "forecast", data: marks, backgroundColor: colour("--ink"), grouped: false, maxBarThickness: 14 },
        { label: "90 % interval", data: bars, backgroundColor: colour("--accent"), grouped: false, maxBarThickness: 10, borderRadius: 3, borderSkipped: false },
      ],
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: "y",
      scales: {
        x: { grid: { color: colour("--line") }, ticks: along, beginAtZero: !shares, max: shares ? 1 : undefined },
        y: { grid: { display: false }, ticks: { ...ticks, autoSkip: false } },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          filter: (item) => item.datasetIndex === 0,
          callbacks: {
            label: (item) => {
              const place = item.dataIndex;
              return `${words(values?.[place] ?? 0)} (${words(lows?.[place] ?? 0)} to ${words(highs?.[place] ?? 0)})`;
            },
          },
        },
      },
    },
  };
}
