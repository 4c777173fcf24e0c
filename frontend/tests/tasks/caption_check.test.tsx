import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AnswerTo, Begun, Question } from "../../src/api/types";
import { type Sight, SightContext } from "../../src/labelling/sight";
import { CAPTION_CHECK } from "../../src/tasks/caption_check";
import { question } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

type Answer = AnswerTo<"caption_check">;

/** A question about a caption, whose words are separated by single spaces. */
function about(caption: string): Question {
  let end = -1;
  const words = caption.split(" ").map((word): [number, number] => {
    const start = end + 1;
    end = start + Array.from(word).length;
    return [start, end];
  });
  return { ...question(), survey: { caption, words } };
}

const TWELVE = "A man and a 🐕 dog sit on the blue bench .";

interface Shown {
  caption?: string;
  answer?: Begun<Answer> | null;
  disabled?: boolean;
  tried?: Answer | null;
  sight?: Partial<Sight>;
}

function show({ caption = TWELVE, answer = null, disabled = false, tried = null, sight }: Shown = {}) {
  const onAnswer = vi.fn<(answer: Answer) => void>();
  const onChange = vi.fn<(answer: Begun<Answer> | null) => void>();
  const screenOf = <CAPTION_CHECK.Screen question={about(caption)} {...{ answer, onAnswer, onChange, disabled, tried }} />;
  const { container } = render(sight ? <SightContext.Provider value={{ unseen: [], ...sight } as Sight}>{screenOf}</SightContext.Provider> : screenOf);
  return { container, onAnswer, onChange };
}

/** Press a key where the focus is. */
const press = (...keys: string[]): void => keys.forEach((key) => void fireEvent.keyDown(document.activeElement ?? document.body, { key }));
const radio = (word: string): HTMLInputElement => screen.getByRole("radio", { name: word, hidden: true });
const picked = (): string[] => screen.getAllByRole("radio", { hidden: true }).flatMap((one) => ((one as HTMLInputElement).checked ? (one.parentElement?.textContent ?? "") : []));
const field = (): HTMLInputElement | null => screen.queryByRole("textbox");

describe("a caption", () => {
  it.each(["1", "y"])("is called correct by %s, without another step", (key) => {
    const { onAnswer } = show();
    press(key);
    expect(onAnswer.mock.calls).toEqual([[{ verdict: "correct" }]]);
  });

  it.each(["2", "n"])("that is called wrong by %s is not an answer yet, and asks for the word", (key) => {
    const { onAnswer, onChange } = show();
    expect(screen.getByRole("heading").textContent).toBe("Is this caption correct?");
    press(key);
    expect(onAnswer).not.toHaveBeenCalled();
    expect(onChange.mock.calls).toEqual([[{ verdict: "wrong" }]]);
    expect(screen.getByRole("heading").textContent).toBe("Which word is wrong?");
    expect([document.activeElement, picked(), field()]).toEqual([radio("A"), [], null]);
    press("Enter");
    expect(onAnswer).not.toHaveBeenCalled();
  });

  it("takes no word while nobody called it wrong", () => {
    const { onChange } = show();
    expect(radio("dog").disabled).toBe(true);
    press("3", "4", "ArrowRight");
    expect(onChange).not.toHaveBeenCalled();
  });

  it("keeps its words where they are when one is to be picked", () => {
    const { container } = show();
    const places = (): (string | null)[] => [...(container.querySelector(".check")?.children ?? [])].map((one) => one.getAttribute("class"));
    const before = places();
    press("2", "3");
    expect(places().map((one) => one?.replace(" picking", ""))).toEqual(before);
  });
});

describe("the wrong word", () => {
  it("is picked by its number, of two digits if there are so many words", () => {
    const { onChange } = show();
    press("2", "3");
    expect(picked()).toEqual(["3and"]);
    press("1", "0");
    expect(onChange.mock.lastCall).toEqual([{ verdict: "wrong", word: 10 }]);
    press("2");
    expect(picked()).toEqual(["2man"]);
  });

  it("is picked by arrow keys, round in a circle, and they turn no page", () => {
    show();
    const turned = vi.fn();
    const onKey = (event: KeyboardEvent): void => void (event.defaultPrevented || turned(event.key));
    window.addEventListener("keydown", onKey);
    onTestFinished(() => window.removeEventListener("keydown", onKey));
    press("2");
    turned.mockClear();
    press("ArrowRight", "ArrowRight");
    expect(picked()).toEqual(["2man"]);
    press("ArrowUp", "ArrowLeft");
    expect(picked()).toEqual(["10bench"]);
    press("ArrowDown");
    expect([picked(), turned.mock.calls]).toEqual([["1A"], []]);
  });

  it("is picked by a tap", () => {
    const { onChange } = show();
    fireEvent.click(screen.getByRole("button", { name: /Wrong/ }));
    fireEvent.click(radio("dog"));
    expect(onChange.mock.lastCall).toEqual([{ verdict: "wrong", word: 5 }]);
  });

  it("is never a full stop or a picture of its own, which still counts as a place", () => {
    show();
    expect(screen.queryByRole("radio", { name: ".", hidden: true })).toBeNull();
    press("2", "5");
    expect([picked(), screen.getAllByRole("radio")]).toEqual([["5dog"], expect.objectContaining({ length: 10 })]);
  });

  it("goes on with Enter to the right word, and with Enter from there", () => {
    const { onAnswer, onChange } = show();
    press("2", "6", "Enter");
    expect(document.activeElement).toBe(field());
    fireEvent.input(field() as Element, { target: { value: "  stand\tup " } });
    expect(onChange.mock.lastCall).toEqual([{ verdict: "wrong", word: 6, right: "  stand\tup " }]);
    fireEvent.submit(field()?.form as Element);
    expect(onAnswer.mock.calls).toEqual([[{ verdict: "wrong", word: 6, right: "stand up" }]]);
  });

  it("is enough: the field for the right one may stay empty", () => {
    const { onAnswer } = show();
    press("2", "6");
    fireEvent.click(screen.getByRole("button", { name: /Go on/ }));
    expect(onAnswer.mock.calls).toEqual([[{ verdict: "wrong", word: 6 }]]);
  });

  it("is named in the question for the right one, which takes sixty characters", () => {
    show();
    press("2", "2");
    expect(field()?.labels?.[0]?.textContent).toBe("Which word would be right instead of “man”? (optional)");
    expect(field()?.maxLength).toBe(60);
  });

  it("is forgotten when the caption is called correct after all", () => {
    const { onAnswer } = show({ answer: { verdict: "wrong", word: 5, right: "cat" } });
    press("y");
    expect(onAnswer.mock.calls).toEqual([[{ verdict: "correct" }]]);
  });

  it("has the digits: the answers have their letters alone while it is picked", () => {
    const { onAnswer, container } = show();
    const keys = (): (string | null)[] => [...container.querySelectorAll(".answers kbd")].map((key) => key.textContent);
    expect(keys()).toEqual(["1", "2"]);
    press("2");
    expect(keys()).toEqual(["y", "n"]);
    press("1");
    expect([onAnswer.mock.calls, picked()]).toEqual([[], ["1A"]]);
  });
});

describe("an answer", () => {
  it("that was half given is there again", () => {
    show({ answer: { verdict: "wrong" } });
    expect([screen.getByRole("heading").textContent, picked(), field()]).toEqual(["Which word is wrong?", [], null]);
    cleanup();
    show({ answer: { verdict: "wrong", word: 5, right: "cat" } });
    expect([picked(), field()?.value]).toEqual([["5dog"], "cat"]);
  });

  it("to an example shows the right one, and takes no other", () => {
    const { onAnswer, onChange } = show({ answer: { verdict: "wrong", word: 5, right: "cat" }, disabled: true, tried: { verdict: "correct" } });
    expect([picked(), field()?.value, field()?.disabled]).toEqual([["5dog"], "cat", true]);
    press("1", "2", "y", "n", "Enter");
    expect([onAnswer.mock.calls, onChange.mock.calls]).toEqual([[], []]);
  });

  it("waits until the whole caption was on the screen", () => {
    const look = vi.fn();
    const { onChange } = show({ sight: { state: "look", urged: true, look } });
    press("2");
    expect([look.mock.calls.length, onChange.mock.calls.length]).toEqual([1, 0]);
    expect(screen.getByText("First read the whole caption.")).toBeTruthy();
  });

  it("does not begin with a press that was meant for the question before", () => {
    const { onChange } = show({ sight: { state: "wait" } });
    press("2");
    expect(onChange).not.toHaveBeenCalled();
  });
});
