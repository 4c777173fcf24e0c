import { expect, it } from "vitest";
import { nameCells } from "../src/projects/page";

it("says beside each cell of a card what its column says first", () => {
  document.body.innerHTML = `<table class="cards"><thead><tr><th scope="col">Worker</th><th scope="col">Score <i>95 %</i></th></tr></thead>
    <tbody><tr><th scope="row">ada</th><td>71 %</td></tr></tbody></table>`;
  nameCells(document);
  const cells = [...document.querySelectorAll<HTMLElement>("tbody :is(th, td)")];
  expect(cells.map((cell) => [cell.role, cell.dataset.column])).toEqual([
    ["rowheader", "Worker"],
    ["cell", "Score"],
  ]);
});

it("leaves other tables as they are", () => {
  document.body.innerHTML = "<table><tbody><tr><td>1</td></tr></tbody></table>";
  nameCells(document);
  expect(document.querySelector("td")?.dataset.column).toBeUndefined();
});
