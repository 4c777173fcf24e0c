import { cleanup, fireEvent, render } from "@testing-library/preact";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Answer, Question, Task } from "../../src/api/types";
import { TaskScreen } from "../../src/screens";
import { question } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));
afterEach(cleanup);

const PAIR = question("*A man* waits", "*A tourist* waits");

function show(task: Task, { asked = PAIR, answer = null as Answer | null, disabled = false }: { asked?: Question; answer?: Answer | null; disabled?: boolean } = {}) {
  const onAnswer = vi.fn<(answer: Answer) => void>();
  const shown = render(
    <TaskScreen task={task} question={asked} answer={answer} onAnswer={onAnswer} onChange={vi.fn()} disabled={disabled} />,
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

describe("keys", () => {
  it("are no answers while somebody types", () => {
    const { container, onAnswer } = show("coreference_link");
    const field = container.appendChild(document.createElement("textarea"));
    press("1", field);
    expect(onAnswer).not.toHaveBeenCalled();
  });

  it("are no answers while a dialog is open, held down, or with Ctrl", () => {
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
