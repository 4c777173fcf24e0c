// The requesters' pages. Parts that are tools load themselves where a page has an element for them.
import "./projects.css";
import { forEach, startPage } from "./every_page";
import { suggestions, tally } from "./projects/keys";
import { nameCells, openFolds, showWhereGiven } from "./projects/page";

const LATE: Readonly<Record<string, () => Promise<(element: HTMLElement) => void>>> = {
  "[data-dashboard]": async () => (await import("./projects/dashboard/dashboard")).dashboard,
  "[data-predict]": async () => (await import("./projects/charts")).predict,
  "#bench": async () => (await import("./projects/review/Bench")).openBench,
  "#annotate": async () => (await import("./projects/gold/Gold")).openGold,
};

startPage();
nameCells(document);
openFolds(document, location.hash);
window.addEventListener("hashchange", () => openFolds(document, location.hash));
// Not in a chunk of their own: their forms are there before, and a key would be lost until it is loaded.
forEach<HTMLFormElement>("[data-suggestion]", suggestions);
forEach<HTMLFormElement>("[data-tally]", tally);
forEach("[data-evaluate]", showWhereGiven);
if (document.querySelector("[data-upload], [data-sample], [data-run]")) void import("./projects/data").then((tools) => tools.startTools());
for (const [selector, load] of Object.entries(LATE)) forEach(selector, (element) => void load().then((open) => open(element)));
