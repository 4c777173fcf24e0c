// The requesters' pages. Parts that are tools load themselves where a page has an element for them.
import "./projects.css";
import { addCopyButtons } from "./copy";
import { findDialog } from "./projects/find";
import { highlight } from "./highlight";
import { localize } from "./local_time";
import { suggestions, tally } from "./projects/keys";
import { nameCells, openFolds } from "./projects/page";

localize(document);
addCopyButtons(document);
for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog.find")) findDialog(dialog);
nameCells(document);
openFolds(document, location.hash);
window.addEventListener("hashchange", () => openFolds(document, location.hash));
if (document.querySelector("[data-upload], [data-sample], [data-run]")) {
  void import("./projects/data").then((tools) => tools.startTools());
}

const watched = document.querySelector<HTMLElement>("[data-dashboard]");
if (watched) void import("./projects/dashboard/dashboard").then(({ dashboard }) => dashboard(watched));
const predicted = document.querySelector<HTMLElement>("[data-predict]");
if (predicted) void import("./projects/charts").then(({ predict }) => predict(predicted));
const evaluated = document.querySelector<HTMLElement>("[data-evaluate]");
if (evaluated) void import("./projects/evaluate/evaluate").then(({ showWhereGiven }) => showWhereGiven(evaluated));
for (const figure of document.querySelectorAll<HTMLElement>("[data-highlight]")) highlight(figure);

const bench = document.querySelector<HTMLElement>("#bench");
if (bench) void import("./projects/review/Bench").then(({ openBench }) => openBench(bench));
const gold = document.querySelector<HTMLElement>("#annotate");
if (gold) void import("./projects/gold/Gold").then(({ openGold }) => openGold(gold));
// Not in a chunk of their own: their forms are there before, and a key would be lost until it is loaded.
for (const form of document.querySelectorAll<HTMLFormElement>("[data-suggestion]")) suggestions(form);
for (const form of document.querySelectorAll<HTMLFormElement>("[data-tally]")) tally(form);
