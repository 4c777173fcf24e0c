import { act, fireEvent, render, screen } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { needsWhole } from "../../src/canvas/Picture";
import { Stage } from "../../src/canvas/Stage";
import { drag, press, question, stage, withSvg, zoom } from "./support";

withSvg();

/** The files that were asked for, and a way to say what became of them. */
const asked: { src: string; onload?: () => void; onerror?: () => void }[] = [];
beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal("Image", class { src = ""; constructor() { asked.push(this); } });
});
const image = { url: "/small.jpg", full_url: "/full.jpg", width: 3200, height: 1600 };
const shown = (): string | null | undefined => stage().querySelector("image")?.getAttribute("href");
const finish = (what: "onload" | "onerror"): void => void act(() => asked.at(-1)?.[what]?.());

describe("the picture", () => {
  it("is shown when it has come", () => {
    render(<Stage image={question().image} label="Picture" />);
    expect(screen.getByText("Loading the picture …")).toBeTruthy();
    finish("onload");
    expect(shown()).toBe("/small.jpg");
    expect(screen.queryByText("Loading the picture …")).toBeNull();
  });
  it("says when it did not come, and tries again", () => {
    render(<Stage image={question().image} label="Picture" />);
    finish("onerror");
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(asked.map(({ src }) => src)).toEqual(["/small.jpg", "/small.jpg#1"]);
    finish("onload");
    expect(shown()).toBe("/small.jpg#1");
  });
  it("cannot be drawn on when it did not come", () => {
    const begin = vi.fn();
    const tool = () => ({ cursor: "crosshair", begin, drag: vi.fn(), end: vi.fn(), cancel: vi.fn(), hover: vi.fn() });
    render(<Stage image={question().image} label="Picture" tool={tool} />);
    drag([10, 10], [50, 50]);
    expect(begin).toHaveBeenCalledOnce();
    finish("onerror");
    drag([10, 10], [50, 50]);
    expect(begin).toHaveBeenCalledOnce();
  });
  it("becomes the whole one where the screen shows more than the rendition holds", () => {
    expect(needsWhole(image, 0.49, 1)).toBe(false);
    expect(needsWhole(image, 0.51, 1)).toBe(true);
    expect(needsWhole(image, 0.26, 2)).toBe(true);
    expect(needsWhole({ ...image, width: 1600 }, 8, 2)).toBe(false);
  });
  it("stays the rendition until the whole one has come", () => {
    render(<Stage image={image} label="Picture" />);
    act(() => asked[0]?.onload?.());
    expect(asked.map(({ src }) => src)).toEqual(["/small.jpg", "/full.jpg"]);
    expect(shown()).toBe("/small.jpg");
    finish("onload");
    expect(shown()).toBe("/full.jpg");
  });
});

describe("looking around", () => {
  it("zooms by keys and shows the whole again", () => {
    render(<Stage image={question().image} label="Picture" />);
    press("+");
    expect(zoom()).toBe(1.5);
    press("-");
    expect(zoom()).toBe(1);
    press("=");
    press("0");
    expect(zoom()).toBe(1);
  });
  it("leaves the wheel to the page where it cannot zoom out further", () => {
    render(<Stage image={question().image} label="Picture" />);
    expect(fireEvent.wheel(stage(), { deltaY: 100 })).toBe(true);
    expect(fireEvent.wheel(stage(), { deltaY: -100 })).toBe(false);
    expect(zoom()).toBeGreaterThan(1.1);
    expect(fireEvent.wheel(stage(), { deltaY: 100 })).toBe(false);
  });
  it("begins near a small box and goes between it and the whole by z", () => {
    render(<Stage image={question().image} label="Picture" near={[200, 100, 220, 120]} startNear />);
    expect(zoom()).toBeGreaterThan(3);
    press("z");
    expect(zoom()).toBe(1);
    press("z");
    expect(zoom()).toBeGreaterThan(3);
  });
  it("begins with the whole picture where the box is large", () => {
    render(<Stage image={question().image} label="Picture" near={[20, 20, 320, 220]} startNear />);
    expect(zoom()).toBe(1);
  });
  it("lets a finger scroll the page as long as the whole picture is shown", () => {
    render(<Stage image={question().image} label="Picture" />);
    expect(stage().style.touchAction).toBe("pan-x pan-y");
    press("+");
    expect(stage().style.touchAction).toBe("none");
  });
});
