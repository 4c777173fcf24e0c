import { expect, test } from "vitest";
import { slide } from "../src/projects/charts";

test("the slider shows the way at its place and says its name, without a request", () => {
  document.body.innerHTML = `
    <form><input type="range" min="0" max="2" value="1"><button>Show</button></form>
    <div class="way"><h3>cheap</h3></div><div class="way" hidden><h3>middle</h3></div><div class="way"><h3>good</h3></div>`;
  const form = document.querySelector("form") as HTMLFormElement;
  const dial = form.querySelector("input") as HTMLInputElement;
  const ways = Array.from(document.querySelectorAll<HTMLElement>(".way"));
  slide(form, ways);
  expect(ways.map((way) => way.hidden)).toEqual([true, false, true]);
  expect(form.querySelector("button")?.hidden).toBe(true);
  dial.value = "2";
  dial.dispatchEvent(new Event("input"));
  expect(ways.map((way) => way.hidden)).toEqual([true, true, false]);
  expect(dial.getAttribute("aria-valuetext")).toBe("good");
});
