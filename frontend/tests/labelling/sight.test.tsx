/** A question takes no answer that nobody can have meant: with the real picture, whose files a test lets arrive. */

import { act, fireEvent } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetPictures } from "../../src/canvas/Picture";
import { rememberRule } from "../../src/labelling/calls";
import { open, wait } from "../support/page";

const asked: { src: string; onload?: () => void; onerror?: () => void }[] = [];
let watch: (entries: Partial<IntersectionObserverEntry>[]) => void = () => undefined;
let watched: Element[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  rememberRule("coreference_link");
  forgetPictures();
  asked.length = 0;
  watched = [];
  vi.stubGlobal("Image", class { src = ""; constructor() { asked.push(this); } });
});

const come = async (what: "onload" | "onerror" = "onload"): Promise<void> => {
  act(() => asked.forEach((file) => file[what]?.()));
  await wait(40); // two frames: the picture is drawn
};
const state = (root: HTMLElement): string | undefined => root.querySelector<HTMLElement>(".frame")?.dataset["answers"];
const key = (): boolean => fireEvent.keyDown(window, { key: "1", code: "Digit1" });
const click = (root: HTMLElement): boolean => fireEvent.click(root.querySelector("[data-answer=same]") as Element);

describe("two presses 120 ms apart", () => {
  it.each([["key", key], ["click", click]])("of a %s answer one question", async (_, press) => {
    const { root } = await open();
    await come();
    await wait(300);
    press(root);
    await come();
    await wait(80);
    press(root);
    await wait(0);
    expect(root.dataset["index"]).toBe("1");
    await wait(200);
    press(root);
    await wait(0);
    expect(root.dataset["state"]).toBe("summary");
  });

  it("at the last question do not send the batch", async () => {
    const { root, api } = await open();
    for (let place = 0; place < 2; place++) {
      await come();
      await wait(300);
      key();
      await wait(0);
    }
    expect(root.dataset["state"]).toBe("summary");
    await wait(120);
    fireEvent.keyDown(window, { key: "Enter" });
    fireEvent.click(root.querySelector("[data-submit]") as Element);
    await wait(0);
    expect(api.submit).not.toHaveBeenCalled();
    await wait(200);
    fireEvent.keyDown(window, { key: "Enter" });
    await wait(0);
    expect(api.submit).toHaveBeenCalledOnce();
  });

  it("are not kept for later", async () => {
    const { root } = await open();
    await come();
    key();
    await wait(1000);
    expect(root.dataset["index"]).toBe("0");
  });
});

it("the next question about a picture shows it from its first moment", async () => {
  const { root } = await open();
  await come();
  await wait(300);
  key();
  await wait(0);
  expect(root.dataset["index"]).toBe("1");
  expect(root.querySelector(".stage")?.getAttribute("data-loading")).toBe("shown");
});

describe("answers to a picture on a slow network", () => {
  it("wait until it has been drawn, and say so", async () => {
    const { root, text } = await open();
    await wait(300);
    expect(root.querySelector(".waits")?.textContent).toBe("Answers wait for the picture.");
    expect(root.querySelector(".waits")?.getAttribute("role")).toBe("status");
    expect(root.querySelector<HTMLButtonElement>("[data-answer=same]")?.disabled).toBe(true);
    key();
    await come();
    key(); // who hammers the keys has not looked at the picture
    expect(root.dataset["index"]).toBe("0");
    expect(text()).not.toContain("Answers wait");
    await wait(300);
    key();
    await wait(0);
    expect(root.dataset["index"]).toBe("1");
  });

  it("wait for a new try when it fails, and the question can be left", async () => {
    const { root, text, press } = await open();
    await come("onerror");
    await wait(300);
    key();
    expect(root.dataset["index"]).toBe("0");
    expect(text()).toContain("Answers wait for the picture. Try it again above.");
    fireEvent.click([...root.querySelectorAll("button")].find((one) => one.textContent === "Try again") as Element);
    await wait(0);
    await come();
    await wait(300);
    expect(state(root)).toBe("open");
    await press("s");
    expect(document.querySelector("dialog")?.textContent).toContain("Leave this question to others");
  });

  it("are quiet about a picture that comes at once", async () => {
    const { root, text } = await open();
    await come();
    await wait(300);
    expect(text()).not.toContain("Answers wait");
    expect(state(root)).toBe("open");
  });
});

describe("a phrase below the screen", () => {
  beforeEach(() => {
    vi.stubGlobal("IntersectionObserver", class {
      constructor(callback: (entries: Partial<IntersectionObserverEntry>[]) => void) { watch = callback; }
      observe(phrase: Element) { watched.push(phrase); }
      unobserve() {}
      disconnect() {}
    });
    Element.prototype.scrollIntoView = vi.fn();
  });
  const seen = (place: number, ratio: number): Promise<void> =>
    act(() => watch([entry(watched[place] as Element, 20 * ratio)])) as Promise<void>;
  /** What the observer says of a phrase that is 20 px high, and whose padding is cut off at the side. */
  const entry = (target: Element, height: number): Partial<IntersectionObserverEntry> => ({
    target,
    isIntersecting: height > 0,
    boundingClientRect: { width: 100, height: 20 } as DOMRectReadOnly,
    intersectionRect: { width: 97, height } as DOMRectReadOnly,
    intersectionRatio: (97 * height) / 2000,
  });

  it("has a button that leads there, and is looked at before anything is answered", async () => {
    const { root, text } = await open();
    await come();
    await seen(0, 1);
    await seen(1, 0.4);
    await wait(300);
    expect(root.querySelector(".below")?.textContent).toBe("1 more phrase below ↓");
    key();
    await wait(0);
    expect(root.dataset["index"]).toBe("0");
    expect(Element.prototype.scrollIntoView).toHaveBeenCalled();
    expect(text()).toContain("First look at everything that is marked.");
    await seen(1, 1);
    expect(root.querySelector(".below")).toBeNull();
    key();
    await wait(0);
    expect(root.dataset["index"]).toBe("1");
  });

  it("counts as seen a moment after the page led there, whatever the observer says", async () => {
    const { root } = await open();
    await come();
    await seen(0, 1);
    await seen(1, 0.4);
    await wait(300);
    key();
    await wait(100);
    key();
    await wait(0);
    expect(root.dataset["index"]).toBe("0");
    await wait(300);
    expect(root.querySelector(".below")).toBeNull();
    key();
    await wait(0);
    expect(root.dataset["index"]).toBe("1");
  });
});
