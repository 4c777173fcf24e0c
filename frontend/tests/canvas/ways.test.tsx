import { fireEvent, render, screen } from "@testing-library/preact";
import { render as renderAtOnce } from "preact";
import { describe, expect, it, vi } from "vitest";
import { DrawBox } from "../../src/canvas/DrawBox";
import type { Box } from "../../src/canvas/geometry/box";
import { Numbers } from "../../src/canvas/Numbers";
import { stepOf, type Way } from "../../src/canvas/useBoxEditor";
import { drag, drawn, point, press, question, withSvg, zoom } from "./support";

withSvg();

function show(way: Partial<Way>, first: Box | null = null, url = "/small.jpg") {
  const onBox = vi.fn();
  const onConfirm = vi.fn();
  const image = { ...question().image, url };
  const shown = render(
    <DrawBox image={image} label="Picture" boxes={[]} disabled={false} way={{ by: "drag", doubleClick: false, ...way }} numbers={Numbers} {...{ first, onBox, onConfirm }} />,
  );
  return { ...shown, onBox, onConfirm };
}
type At = readonly [number, number];
const click = (...places: At[]): void => {
  for (const at of places) {
    point("Down", at);
    point("Up", at);
  }
};
const points = (container: Element): number => container.querySelectorAll("circle.halo").length;
const space = (): void => {
  press(" ");
  fireEvent.keyUp(document.body, { key: " " });
};

describe("drawing by two clicks", () => {
  it("draws between the two places, and not before the second", () => {
    const { onBox, container } = show({ by: "two clicks" });
    click([20, 30]);
    expect([drawn(), points(container)]).toEqual(["", 1]);
    click([120.3, 80.4]);
    expect(onBox.mock.calls).toEqual([[[20, 30, 120, 80]]]);
    expect(points(container)).toBe(0);
  });
  it("still takes a drag, and moves the box by one", () => {
    show({ by: "two clicks" });
    drag([20, 30], [120, 80]);
    expect(drawn()).toBe("20,30,120,80");
    drag([70, 55], [80, 60]);
    expect(drawn()).toBe("30,35,130,85");
  });
  it("takes back one click at a time", () => {
    const { container, onBox } = show({ by: "two clicks" });
    click([20, 30], [120, 80]);
    press("z", { ctrlKey: true });
    expect([drawn(), points(container)]).toEqual(["", 1]);
    press("z", { ctrlKey: true });
    expect(points(container)).toBe(0);
    expect(onBox.mock.calls.at(-1)).toEqual([null]);
  });
  it("is begun anew by a click beside the box, and cleared by x", () => {
    const { container } = show({ by: "two clicks" }, [20, 30, 120, 80]);
    click([200, 200]);
    expect([drawn(), points(container)]).toEqual(["", 1]);
    press("x");
    expect(points(container)).toBe(0);
  });
});

describe("drawing by extreme points", () => {
  it("draws around four clicks, in any order, and shows the points until then", () => {
    const { onBox, container } = show({ by: "extreme points" });
    click([60, 20], [30, 50], [70, 90]);
    expect([drawn(), points(container)]).toEqual(["", 3]);
    click([110, 40]);
    expect(onBox.mock.calls).toEqual([[[30, 20, 110, 90]]]);
  });
  it("takes the place where a finger leaves the picture", () => {
    const { container } = show({ by: "extreme points" });
    drag([60, 60], [60, 20], { pointerType: "touch" });
    expect([drawn(), points(container)]).toEqual(["", 1]);
    click([30, 50], [70, 90], [110, 40]);
    expect(drawn()).toBe("30,20,110,90");
  });
  it("takes back the last point alone", () => {
    const { container } = show({ by: "extreme points" });
    click([60, 20], [30, 50], [399, 90]);
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(points(container)).toBe(2);
    click([70, 90], [110, 40]);
    expect(drawn()).toBe("30,20,110,90");
  });
});

describe("confirming a box", () => {
  it("takes a press of the space bar, but not one that moved the picture", () => {
    const { onConfirm } = show({}, [20, 30, 120, 80]);
    press(" ");
    drag([200, 200], [220, 210]);
    fireEvent.keyUp(document.body, { key: " " });
    expect(onConfirm).not.toHaveBeenCalled();
    space();
    expect(onConfirm).toHaveBeenCalledTimes(1);
  });
  it("takes no space bar that was held down since the question before, and none without a box", () => {
    const { onConfirm } = show({}, [20, 30, 120, 80]);
    press(" ", { repeat: true });
    fireEvent.keyUp(document.body, { key: " " });
    expect(onConfirm).not.toHaveBeenCalled();
    press("x");
    space();
    expect(onConfirm).not.toHaveBeenCalled();
  });
  it("takes the tick beside the box", () => {
    const { onConfirm } = show({}, [20, 30, 120, 80]);
    const tick = screen.getByRole("button", { name: "Confirm the box" });
    expect(parseFloat(tick.style.left)).toBeCloseTo(141.33);
    expect(tick.style.width).toBe("32px");
    fireEvent.click(tick);
    expect(onConfirm).toHaveBeenCalledTimes(1);
  });
  it("takes a double-click on the box where the worker wants it", () => {
    const { onConfirm } = show({ doubleClick: true }, [20, 30, 120, 80]);
    click([70, 55]);
    expect(onConfirm).not.toHaveBeenCalled();
    click([70, 55]);
    expect(onConfirm).toHaveBeenCalledTimes(1);
    click([70, 55]);
    expect(onConfirm).toHaveBeenCalledTimes(1);
  });
  it("takes no double-click beside the box, of the last point, or where nobody asked for it", () => {
    const beside = show({ doubleClick: true }, [20, 30, 120, 80]);
    click([200, 200], [200, 200]);
    expect(beside.onConfirm).not.toHaveBeenCalled();
    beside.unmount();
    const last = show({ by: "extreme points", doubleClick: true });
    click([60, 20], [30, 50], [70, 90], [110, 40], [110, 40]);
    expect(last.onConfirm).not.toHaveBeenCalled();
    last.unmount();
    const never = show({}, [20, 30, 120, 80]);
    click([70, 55], [70, 55]);
    expect(never.onConfirm).not.toHaveBeenCalled();
  });
});

describe("a step of an arrow key", () => {
  it("is a pixel of the screen, ten with Shift, and at least one of the image", () => {
    expect([stepOf(1, 0.25), stepOf(10, 0.25), stepOf(1, 4), stepOf(10, 4), stepOf(1, 1)]).toEqual([4, 40, 1, 3, 1]);
  });
});

describe("the zoom", () => {
  it("stays for the next question about the same picture, and not for another one", () => {
    const first = show({}, null, "/same.jpg");
    press("+");
    press("+");
    const [left, near] = [zoom(), document.querySelector(".plane")?.getAttribute("viewBox")];
    first.unmount();
    const second = show({}, null, "/same.jpg");
    expect([zoom(), document.querySelector(".plane")?.getAttribute("viewBox")]).toEqual([left, near]);
    second.unmount();
    const out = show({}, [0, 0, 5, 5], "/same.jpg");
    expect(zoom()).toBeCloseTo(1);
    out.unmount();
    show({}, null, "/other.jpg");
    expect(zoom()).toBeCloseTo(1);
  });
});

describe("full screen", () => {
  it("fills the view where the browser has no such mode, and stays for the next question", () => {
    const first = show({});
    press("f");
    expect(document.documentElement.classList.contains("full")).toBe(true);
    first.unmount();
    show({});
    expect(screen.getByRole("button", { name: "Full screen" }).getAttribute("aria-pressed")).toBe("true");
    press("f");
    expect(document.documentElement.classList.contains("full")).toBe(false);
  });
});

describe("a question that is answered before it was painted", () => {
  it("hears no key of the next one", async () => {
    vi.useFakeTimers();
    const onConfirm = vi.fn();
    const root = document.body.appendChild(document.createElement("div"));
    const props = { image: question().image, label: "Picture", boxes: [], disabled: false, onBox: vi.fn(), onConfirm };
    renderAtOnce(<DrawBox {...props} numbers={Numbers} first={[20, 30, 120, 80]} />, root);
    renderAtOnce(null, root);
    await vi.advanceTimersByTimeAsync(200); // past the frame after which effects run
    space();
    expect(onConfirm).not.toHaveBeenCalled();
  });
});
