import { fireEvent, render } from "@testing-library/preact";
import type { FunctionComponent } from "preact";
import { describe, expect, it, vi } from "vitest";
import type { Answer, Question, Task } from "../../src/api/types";
import { LINK_WITH_PARTS } from "../../src/tasks/link_with_parts";
import type { ScreenProps } from "../../src/tasks/task";
import { question } from "../support/samples";
import { TASKS } from "../support/tasks";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

const PAIR = question("*A man* waits", "*A tourist* waits");

function show(task: Task, { asked = PAIR, answer = null as Answer | null, disabled = false }: { asked?: Question; answer?: Answer | null; disabled?: boolean } = {}) {
  const onAnswer = vi.fn<(answer: Answer) => void>();
  const Screen = TASKS[task].Screen as FunctionComponent<ScreenProps>;
  const shown = render(
    <Screen question={asked} answer={answer} onAnswer={onAnswer} onChange={vi.fn()} disabled={disabled} />,
  );
  const chosen = (): string[] =>
    [...shown.container.querySelectorAll<HTMLElement>("[aria-pressed=true]")].map((button) => button.dataset["answer"] ?? "");
  return { ...shown, onAnswer, chosen };
}

const press = (key: string, target: Element | Window = window, more: KeyboardEventInit = {}): void =>
  void fireEvent.keyDown(target, { key, ...more });

describe.each<[Task, [key: string, answer: Answer][]]>([
  ["coreference_link", [["1", "same"], ["y", "same"], ["2", "different"], ["n", "different"]]],
  ["chain_verification", [["1", "true"], ["y", "true"], ["2", "false"], ["N", "false"]]],
  ["box_requirement", [["1", 1], ["y", 1], ["2", 2], ["3", 3], ["n", 3]]],
])("%s", (task, answers) => {
  it.each(answers)("takes the key %s for %s", (key, answer) => {
    const { onAnswer } = show(task);
    press(key);
    expect(onAnswer.mock.calls).toEqual([[answer]]);
  });

  it("takes a press of a button", () => {
    const { container, onAnswer } = show(task);
    const [first] = container.querySelectorAll("[data-answer]");
    fireEvent.click(first as Element);
    expect(onAnswer.mock.calls).toEqual([[answers[0]?.[1]]]);
  });

  it("shows what was answered before", () => {
    const answer = answers.at(-1)?.[1] ?? null;
    expect(show(task, { answer }).chosen()).toEqual([String(answer)]);
  });

  it("takes nothing when it is over", () => {
    const { onAnswer } = show(task, { disabled: true });
    for (const [key] of answers) press(key);
    expect(onAnswer).not.toHaveBeenCalled();
  });
});

describe("a link where the project asks what is part of what", () => {
  it.each<[string, Answer]>([["1", "same"], ["2", "different"], ["3", "a is part of b"], ["4", "b is part of a"]])("takes the key %s for %s", (key, answer) => {
    const onAnswer = vi.fn<(answer: Answer) => void>();
    render(<LINK_WITH_PARTS.Screen question={PAIR} answer={null} onAnswer={onAnswer} onChange={vi.fn()} disabled={false} />);
    press(key);
    expect(onAnswer.mock.calls).toEqual([[answer]]);
  });

  it("is the only one that shows more than two answers", () => {
    const { container, onAnswer } = show("coreference_link");
    press("3");
    press("4");
    expect([container.querySelectorAll("[data-answer]").length, onAnswer.mock.calls]).toEqual([2, []]);
  });
});

describe("keys", () => {
  it("are not answers while somebody types", () => {
    const { container, onAnswer } = show("coreference_link");
    const field = container.appendChild(document.createElement("textarea"));
    press("1", field);
    expect(onAnswer).not.toHaveBeenCalled();
  });

  it("are not answers while a dialog is open, held down, or with Ctrl", () => {
    const { onAnswer } = show("coreference_link");
    press("1", window, { repeat: true });
    press("1", window, { ctrlKey: true });
    const dialog = document.body.appendChild(document.createElement("dialog"));
    dialog.open = true;
    press("1");
    dialog.remove();
    expect(onAnswer).not.toHaveBeenCalled();
    press("1");
    expect(onAnswer).toHaveBeenCalledOnce();
  });
});

describe("the heading", () => {
  const asked = question("*A man* waits", "*The tourist* waits", "*He* waits");

  it.each<[Task, string]>([
    ["coreference_link", "Do A “A man” and B “The tourist” mean the same thing in this picture?"],
    ["chain_verification", "Do “A man” and the 2 other marked phrases all mean the same thing in this picture?"],
    ["box_requirement", "Can you draw a box around what “A man” means?"],
    ["box_drawing", "Draw one box for “A man”"],
    ["box_quality", "Is the new box good for “A man”?"],
    ["box_coverage", "Are all boxes there that “A man” needs?"],
  ])("of %s names its phrase", (task, words) => {
    expect(show(task, { asked }).getByRole("heading").textContent).toBe(words);
  });

  it("of two phrases to verify names both", () => {
    expect(show("chain_verification").getByRole("heading").textContent).toBe("Do “A man” and “A tourist” mean the same thing in this picture?");
  });

  it("keeps a Hebrew phrase apart from its own words", () => {
    const hebrew = { ...question("*שני כלבים* רצים"), language: "he" };
    const phrase = show("box_quality", { asked: hebrew }).getByRole("heading").querySelector("bdi");
    expect([phrase?.textContent, phrase?.lang]).toEqual(["שני כלבים", "he"]);
  });
});

describe("keys of other layouts", () => {
  it.each([["&", "Digit1"], ["١", "Digit1"], ["н", "KeyY"], ["Y", "KeyY"]])("%s at %s says yes", (key, code) => {
    const { onAnswer } = show("coreference_link");
    press(key, window, { code });
    expect(onAnswer).toHaveBeenCalledWith("same");
  });

  it.each(["ctrlKey", "altKey", "metaKey"])("with %s say nothing", (modifier) => {
    const { onAnswer } = show("coreference_link");
    press("&", window, { code: "Digit1", [modifier]: true });
    expect(onAnswer).not.toHaveBeenCalled();
  });
});
