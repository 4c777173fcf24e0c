// The dashboard: charts over its tables, and numbers that follow the work while the page is looked at.
import { drawCharts } from "../charts";
import { followNumbers } from "./follow";

export function dashboard(root: HTMLElement): void {
  drawCharts(root);
  followNumbers(root, root.dataset.dashboard ?? "");
}
