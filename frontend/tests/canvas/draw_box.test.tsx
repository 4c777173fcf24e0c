import { fireEvent, render, screen } from "@testing-library/preact";
import { describe, expect, it, vi } from "vitest";
import { Numbers } from "../../src/canvas/Numbers";
import { DrawBox } from "../../src/canvas/DrawBox";
import type { Box } from "../../src/canvas/geometry/box";
import { drag, drawn, point, press, question, stage, withSvg, zoom } from "./support";

withSvg();

function show(first: Box | null = null, disabled = false) {
  const onBox = vi.fn();
  const onConfirm = vi.fn();
  render(<DrawBox image={question().image} label="Picture" boxes={[]} numbers={Numbers} {...{ first, disabled, onBox, onConfirm }} />);
  return { onBox, onConfirm };
}
const button = (name: string): HTMLElement => screen.getByRole("button", { name });

describe("drawing with a pointer", () => {
  it("draws the box between the two ends of the drag", () => {
    const { onBox } = show();
    drag([100.4, 50.3], [20.2, 120.6]);
    expect(drawn()).toBe("20,50,100,121");
    expect(onBox.mock.calls).toEqual([[[20, 50, 100, 121]]]);
  });
  it("draws nothing with a click, or with the right button", () => {
    show();
    drag([100, 50], [101, 51]);
    drag([100, 50], [150, 90], { button: 2 });
    expect(drawn()).toBe("");
  });
  it("moves the box, pulls its corner, and replaces it", () => {
    show([100, 100, 200, 200]);
    drag([150, 120], [160, 115]);
    expect(drawn()).toBe("110,95,210,195");
    drag([210, 195], [230, 205]);
    expect(drawn()).toBe("110,95,230,205");
    drag([20, 20], [60, 60]);
    expect(drawn()).toBe("20,20,60,60");
  });
  it("is exact when zoomed in", () => {
    show();
    for (let time = 0; time < 4; time++) press("+");
    expect(zoom()).toBeCloseTo(1.5 ** 4);
    drag([180.3, 140.2], [211.6, 160.7]);
    expect(drawn()).toBe("180,140,212,161");
  });
  it("gives up the begun box when a second finger comes, and zooms", () => {
    const { onBox } = show();
    const finger = { pointerType: "touch" };
    point("Down", [100, 100], finger);
    point("Move", [140, 140], finger);
    expect(drawn()).toBe("100,100,140,140");
    point("Down", [240, 140], { ...finger, pointerId: 2 });
    expect(drawn()).toBe("");
    point("Move", [340, 140], { ...finger, pointerId: 2 });
    expect(zoom()).toBeCloseTo(2);
    point("Up", [340, 140], { ...finger, pointerId: 2 });
    point("Move", [50, 50], finger);
    point("Up", [50, 50], finger);
    expect(onBox).not.toHaveBeenCalled();
  });
  it("gives up the begun box when the browser takes the pointer away", () => {
    show([10, 10, 50, 50]);
    point("Down", [100, 100]);
    point("Move", [150, 150]);
    point("Cancel", [150, 150]);
    expect(drawn()).toBe("10,10,50,50");
  });
  it("does nothing while disabled", () => {
    show([10, 10, 50, 50], true);
    drag([100, 100], [200, 200]);
    press("x");
    expect(drawn()).toBe("10,10,50,50");
  });
});

describe("drawing with keys", () => {
  it("puts a box of a quarter in the middle, once", () => {
    show();
    press("b");
    expect(drawn()).toBe("100,75,300,225");
    press("ArrowLeft");
    press("b");
    expect(drawn()).toBe("99,75,299,225");
  });
  it("moves the box by a pixel of the screen, which shows a little less than the image has, with Shift by ten", () => {
    show([100, 100, 200, 200]);
    press("ArrowRight");
    press("ArrowUp", { shiftKey: true });
    expect(drawn()).toBe("101,89,201,189");
  });
  it("moves the upper left and then the lower right corner after E", () => {
    show([100, 100, 200, 200]);
    press("e");
    press("ArrowLeft");
    expect(drawn()).toBe("99,100,200,200");
    press("e");
    press("ArrowDown", { shiftKey: true });
    expect(drawn()).toBe("99,100,200,211");
  });
  it("never turns the box over with an arrow key", () => {
    show([100, 100, 103, 200]);
    press("e");
    press("ArrowRight", { shiftKey: true });
    expect(drawn()).toBe("102,100,103,200");
  });
  it("leaves the arrow keys to the page while there is no box", () => {
    show();
    expect(press("ArrowLeft")).toBe(true);
    press("b");
    expect(press("ArrowLeft")).toBe(false);
  });
  it("confirms with Enter, but only a box", () => {
    const { onConfirm } = show();
    press("Enter");
    expect(onConfirm).not.toHaveBeenCalled();
    press("b");
    press("Enter");
    expect(onConfirm).toHaveBeenCalledOnce();
  });
  it("leaves Enter to a button that has the focus", () => {
    const { onConfirm } = show([10, 10, 50, 50]);
    fireEvent.keyDown(button("Zoom in"), { key: "Enter" });
    expect(onConfirm).not.toHaveBeenCalled();
  });
});

describe("undo and redo", () => {
  it("brings back the box that another one replaced", () => {
    const { onBox } = show([10, 10, 50, 50]);
    drag([100, 100], [200, 200]);
    press("z", { ctrlKey: true });
    expect(drawn()).toBe("10,10,50,50");
    press("Z", { metaKey: true, shiftKey: true });
    expect(drawn()).toBe("100,100,200,200");
    expect(onBox).toHaveBeenCalledTimes(3);
  });
  it("works by buttons, which are off where there is nothing to undo", () => {
    show([10, 10, 50, 50]);
    expect(button("Undo").hasAttribute("disabled")).toBe(true);
    fireEvent.click(button("Remove the box"));
    expect(drawn()).toBe("");
    fireEvent.click(button("Undo"));
    expect(drawn()).toBe("10,10,50,50");
    fireEvent.click(button("Redo"));
    expect(drawn()).toBe("");
  });
});

describe("a box as numbers", () => {
  const type = (name: string, value: string): void => void fireEvent.input(screen.getByLabelText(name), { target: { value } });

  it("is folded until asked for, and shows the box", () => {
    show([10, 20, 50, 60]);
    expect(screen.queryByLabelText("Right")).toBeNull();
    press("#");
    expect((screen.getByLabelText("Right") as HTMLInputElement).value).toBe("50");
  });
  it("takes a valid entry at once", () => {
    show([10, 20, 50, 60]);
    press("#");
    type("Left", "12");
    expect(drawn()).toBe("12,20,50,60");
  });
  it("says what is wrong with another one and does not take it", () => {
    show([10, 20, 50, 60]);
    press("#");
    type("Left", "50");
    expect(screen.getByText("Left must be less than right.")).toBeTruthy();
    type("Left", "1.5");
    expect(screen.getByText("All four must be whole numbers of pixels.")).toBeTruthy();
    type("Left", "10");
    type("Bottom", "301");
    expect(screen.getByText("The picture ends at 400 (right) and 300 (bottom).")).toBeTruthy();
    expect(drawn()).toBe("10,20,50,60");
  });
  it("keeps what is typed before the page is painted", async () => {
    show([10, 20, 50, 60]);
    press("#");
    for (const [name, value] of [["Right", "101"], ["Bottom", "201"]] as const) {
      const field = screen.getByLabelText(name) as HTMLInputElement;
      field.value = "";
      for (const digit of value) {
        field.value += digit;
        // Unlike `fireEvent`, this waits for no effect, only for the next render.
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
        await Promise.resolve();
      }
    }
    expect(drawn()).toBe("10,20,101,201");
  });
  it("keeps the keys of the picture out of its fields", () => {
    show([10, 20, 50, 60]);
    press("#");
    fireEvent.keyDown(screen.getByLabelText("Left"), { key: "x" });
    expect(drawn()).toBe("10,20,50,60");
  });
});

it("tells who cannot see it where the box is", () => {
  show();
  press("b");
  expect(screen.getByText("Box: left 100, top 75, right 300, bottom 225")).toBeTruthy();
  expect(stage().getAttribute("aria-describedby")).toBeTruthy();
});
