import { expect, test } from "vitest";
import { showWhereGiven } from "../../src/projects/page";

test("a field is shown for reports that read it, and hidden else", () => {
  document.body.innerHTML = `<main><input type="radio" name="step" value="a" checked>
    <input type="radio" name="step" value="b" data-given="predictions name">
    <div data-of-given="predictions"></div><div data-of-given="against"></div></main>`;
  const root = document.querySelector("main") as HTMLElement;
  const hidden = (): boolean[] => Array.from(root.querySelectorAll<HTMLElement>("[data-of-given]"), (field) => field.hidden);
  showWhereGiven(root);
  expect(hidden()).toEqual([true, true]);
  const given = root.querySelector("[data-given]") as HTMLInputElement;
  given.checked = true;
  given.dispatchEvent(new Event("change", { bubbles: true }));
  expect(hidden()).toEqual([false, true]);
});
