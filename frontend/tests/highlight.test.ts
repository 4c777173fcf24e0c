import { beforeEach, describe, expect, it } from "vitest";
import { highlight } from "../src/every_page";

const PAGE = `
  <div id="figure">
    <span id="man" data-chains="1">a man</span>
    <span id="couple" data-chains="2">a couple</span>
    <b id="box" data-chains="1 2"></b>
    <b id="dog" data-chains="3"></b>
    <i id="nothing"></i>
  </div>`;

const find = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no #${id}`);
  return found;
};
const lit = (): string[] => [...document.querySelectorAll(".on")].map((one) => one.id);
const send = (id: string, type: string, more: EventInit = {}): void => {
  find(id).dispatchEvent(new Event(type, { bubbles: true, ...more }));
};

describe("pointing at one thing lights up what belongs to it", () => {
  beforeEach(() => {
    document.body.innerHTML = PAGE;
    highlight(find("figure"));
  });

  it("shows a phrase's boxes and no others", () => {
    send("man", "pointerover");
    expect(lit()).toEqual(["man", "box"]);
    expect(find("figure").classList.contains("lit")).toBe(true);
  });

  it("shows every phrase of a box", () => {
    send("box", "focusin");
    expect(lit()).toEqual(["man", "couple", "box"]);
  });

  it("goes dark when the pointer is on nothing", () => {
    send("man", "pointerover");
    send("nothing", "pointerover");
    expect(lit()).toEqual([]);
    expect(find("figure").classList.contains("lit")).toBe(false);
  });

  it("keeps what was clicked until it is clicked again", () => {
    send("dog", "click");
    send("man", "pointerover");
    expect(lit()).toEqual(["man", "box"]);
    send("nothing", "pointerover");
    expect(lit()).toEqual(["dog"]);
    send("dog", "click");
    expect(lit()).toEqual([]);
  });

  it("lets go with Escape", () => {
    send("dog", "click");
    find("dog").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(lit()).toEqual([]);
  });
});
