import { expect, test } from "vitest";
import { openFolds } from "../../src/projects/page";

test("a link to something inside closed folds opens them, and a link to nothing opens none", () => {
  document.body.innerHTML = `
    <details id="outer"><details id="inner"><p id="deep">here</p></details></details>
    <details id="other"><p>there</p></details>`;
  let seen = "";
  Element.prototype.scrollIntoView = function (this: Element) { seen = this.id; };
  const open = (): string[] => Array.from(document.querySelectorAll("details[open]"), (one) => one.id);
  for (const hash of ["", "#", "#nothing"]) openFolds(document, hash);
  expect(open()).toEqual([]);
  openFolds(document, "#other");
  expect([open(), seen]).toEqual([["other"], "other"]);
  openFolds(document, "#deep");
  expect([open(), seen]).toEqual([["outer", "inner", "other"], "deep"]);
});
