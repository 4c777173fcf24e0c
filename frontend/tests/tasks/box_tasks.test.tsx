import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import type { FunctionComponent } from "preact";
import { describe, expect, it, vi } from "vitest";
import { drag, drawn, press, question, stage, withSvg } from "../canvas/support";
import type { Answer, AnswerTo, Question } from "../../src/api/types";
import { BOX_COVERAGE } from "../../src/tasks/box_coverage";
import { BOX_DRAWING } from "../../src/tasks/box_drawing";
import { BOX_QUALITY } from "../../src/tasks/box_quality";
import type { ScreenProps } from "../../src/tasks/task";

withSvg();

function show<A extends Answer>(Task: FunctionComponent<ScreenProps<A>>, more: Partial<Question> = {}, answer: A | null = null) {
  const onAnswer = vi.fn();
  const onChange = vi.fn();
  render(<Task question={question(more)} answer={answer} disabled={false} {...{ onAnswer, onChange }} />);
  return { onAnswer, onChange };
}
const choice = (name: RegExp): HTMLElement => screen.getByRole("button", { name });

describe("box drawing", () => {
  it("keeps the drawn box and gives it when confirmed", () => {
    const { onAnswer, onChange } = show(BOX_DRAWING.Screen);
    expect(choice(/This is my box/).hasAttribute("disabled")).toBe(true);
    drag([20, 30], [120, 90]);
    expect(onChange).toHaveBeenLastCalledWith({ box: [20, 30, 120, 90] });
    expect(onAnswer).not.toHaveBeenCalled();
    fireEvent.click(choice(/This is my box/));
    expect(onAnswer).toHaveBeenCalledWith({ box: [20, 30, 120, 90] });
  });
  it("shows the box of an earlier answer, and forgets it when it is removed", () => {
    const { onChange } = show<AnswerTo<"box_drawing">>(BOX_DRAWING.Screen, {}, { box: [5, 6, 70, 80] });
    expect(drawn()).toBe("5,6,70,80");
    press("Delete");
    expect(onChange).toHaveBeenLastCalledWith(null);
  });
  it("asks twice before it takes a box that is there already", () => {
    const { onAnswer } = show(BOX_DRAWING.Screen, { boxes: [[200, 200, 250, 250], [20, 30, 120, 90]] });
    drag([21, 30], [120, 90]);
    press("Enter");
    expect(onAnswer).not.toHaveBeenCalled();
    expect(screen.getByText(/nearly the same as box B/)).toBeTruthy();
    press("Enter");
    expect(onAnswer).toHaveBeenCalledWith({ box: [21, 30, 120, 90] });
  });
  it("warns anew of a box that was changed after the warning", () => {
    const { onAnswer } = show(BOX_DRAWING.Screen, { boxes: [[20, 30, 120, 90]] });
    drag([21, 30], [120, 90]);
    press("Enter");
    press("ArrowRight");
    expect(screen.queryByText(/nearly box/)).toBeNull();
    press("Enter");
    expect(onAnswer).not.toHaveBeenCalled();
  });
  it("says with n that nothing is missing, in words that fit what is there", () => {
    const { onAnswer } = show(BOX_DRAWING.Screen);
    expect(choice(/There is nothing to draw/)).toBeTruthy();
    press("n");
    expect(onAnswer).toHaveBeenCalledWith({ none_missing: true });
  });
  it("names the phrase that it asks about", () => {
    show(BOX_DRAWING.Screen, { boxes: [[20, 30, 120, 90]] });
    expect(screen.getByRole("heading").textContent).toContain("two dogs");
    expect(choice(/No box is missing/)).toBeTruthy();
  });
});

describe("box quality", () => {
  const boxes: Question["boxes"] = [[200, 100, 300, 200]];

  it("tells the new box from the accepted ones by line and tag", () => {
    show(BOX_QUALITY.Screen, { boxes, new_box: [10, 10, 190, 190] });
    expect([...stage().querySelectorAll(".tag")].map((tag) => tag.textContent)).toEqual(["A", "new"]);
    expect(stage().querySelectorAll(".box.accepted, .box.new")).toHaveLength(2);
  });
  it.each([["1", "good"], ["y", "good"], ["2", "bad"], ["n", "bad"]])("answers %s with %s", (key, answer) => {
    const { onAnswer } = show(BOX_QUALITY.Screen, { boxes, new_box: [10, 10, 190, 190] });
    press(key);
    expect(onAnswer).toHaveBeenCalledWith(answer);
  });
});

describe("box coverage", () => {
  it("names boxes by letters, since digits are the keys of its answers", () => {
    show(BOX_COVERAGE.Screen, { boxes: [[200, 100, 300, 200], [10, 10, 100, 100]] });
    const names = [...stage().querySelectorAll(".tag")].map((tag) => tag.textContent);
    const keys = [...document.querySelectorAll(".answers kbd")].map((key) => key.textContent);
    expect(names).toEqual(["A", "B"]);
    expect(names.filter((name) => keys.includes(name))).toEqual([]);
  });

  const boxes: Question["boxes"] = [[200, 100, 300, 200], [10, 10, 100, 100]];

  it.each([["1", "all there"], ["y", "all there"], ["2", "more needed"], ["n", "more needed"]])("answers %s with %s", (key, answer) => {
    const { onAnswer } = show(BOX_COVERAGE.Screen, { boxes });
    press(key);
    expect(onAnswer).toHaveBeenCalledWith(answer);
  });
  it("says what the letters beside the answers are, even of a single box, and shows none without boxes", () => {
    show(BOX_COVERAGE.Screen, { boxes: boxes.slice(0, 1) });
    const letters = screen.getByRole("group", { name: "Boxes so far:" });
    expect(letters.textContent).toBe("Boxes so far:A");
    cleanup();
    show(BOX_COVERAGE.Screen, { boxes: [] });
    expect(document.querySelector(".boxletters")).toBeNull();
  });
  it("lights up the box whose number is pressed", () => {
    show(BOX_COVERAGE.Screen, { boxes });
    fireEvent.click(screen.getByRole("button", { name: "Box B" }));
    expect(stage().querySelector(".tag.lit")?.textContent).toBe("B");
  });
});
