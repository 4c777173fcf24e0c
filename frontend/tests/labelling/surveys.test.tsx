import { fireEvent } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Assignment, Question } from "../../src/api/types";
import { rememberRule } from "../../src/labelling/calls";
import { readDraft } from "../../src/labelling/draft";
import { builtIn } from "../../src/tasks/examples";
import { fakeApi, open, PLACE, wait } from "../support/page";
import { assignment, question } from "../support/samples";
import { ruleOf, taskOf } from "../support/tasks";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

const TASK = "caption_check";
const PLACE_OF_CHECKS = { ...PLACE, task: TASK } as const;
const about = (caption: string, words: [number, number][]): Question => ({ ...question(), survey: { caption, words } });
const CHECKS: Assignment = assignment(0, {
  task: TASK,
  questions: [about("A cat waits", [[0, 1], [2, 5], [6, 11]]), about("A dog waits", [[0, 1], [2, 5], [6, 11]])],
});

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));

describe("a check of a caption", () => {
  beforeEach(() => rememberRule(TASK));

  it("goes from the verdict to the word, the right word, and the next caption", async () => {
    const { root, press, api } = await open(fakeApi(CHECKS), PLACE_OF_CHECKS);
    await press("2", "2");
    fireEvent.input(root.querySelector(".right") as Element, { target: { value: "dog" } });
    fireEvent.submit(root.querySelector("form:has(.right)") as Element);
    await wait(0);
    expect(root.dataset["index"]).toBe("1");
    await press("1", "Enter");
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([{ answer: { verdict: "wrong", word: 1, right: "dog" } }, { answer: { verdict: "correct" } }]);
  });

  it("that was half given is kept in the draft, is not an answer, and the summary leads back to it", async () => {
    const { root, press, api, text, unmount } = await open(fakeApi(CHECKS), PLACE_OF_CHECKS);
    await press("2", "ArrowRight", "1");
    expect(text()).toContain("A begun answer is sent only after you finish it.");
    expect(root.querySelector(".leftover")?.textContent).toBe("Question 1, begun, not finished");
    expect(readDraft("t-1")).toMatchObject({ entries: [{ answer: { verdict: "wrong" }, decided: false }, { decided: true }] });
    unmount();
    const again = await open(fakeApi(CHECKS), PLACE_OF_CHECKS);
    fireEvent.click(again.root.querySelector(".leftover button") as Element);
    await wait(0);
    expect(again.text()).toContain("Which word is wrong?");
    await again.press("ArrowRight", "ArrowRight", "Enter");
    expect([api.submit.mock.calls.length, again.api.submit.mock.calls[0]?.[1]]).toMatchObject([0, [null, { answer: { verdict: "correct" } }]]);
  });

  it("of which the word is picked waits for Go on", async () => {
    const { root, press, api } = await open(fakeApi(CHECKS), PLACE_OF_CHECKS);
    await press("2", "2", "ArrowRight", "1", "Enter");
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([null, { answer: { verdict: "correct" } }]);
    expect(root.dataset["state"]).toBe("sent");
  });
});

describe("the examples of the page itself", () => {
  it.each(["caption_check", "atom_visual"] as const)("for %s ask as real questions do, and their answers are right", (task) => {
    const examples = builtIn(task, ruleOf(task));
    expect(examples.length).toBeGreaterThan(2);
    expect(examples.filter((example) => example.survey === null || example.captions.length > 0 || taskOf(task).mistakeIn(example, example.answer) !== null)).toEqual([]);
    expect(new Set(examples.map(({ answer }) => (typeof answer === "object" && "verdict" in answer ? answer.verdict : answer))).size).toBe(2);
  });

  it("for captions name the wrong word by its place", () => {
    const words = builtIn("caption_check", ruleOf("caption_check")).flatMap(({ survey, answer }) => {
      if (!survey || !("words" in survey) || typeof answer !== "object" || !("word" in answer)) return [];
      const [start, end] = survey.words[answer.word] ?? [];
      return survey.caption.slice(start, end);
    });
    expect(words).toEqual(["cats", "scarf"]);
  });

  it("are tried, and tell a wrong word from a wrong verdict", async () => {
    const api = fakeApi(CHECKS);
    api.examples.mockResolvedValue([]);
    const { press, text } = await open(api, PLACE_OF_CHECKS);
    await press("Enter", "2", "1", "Enter");
    expect(text()).toContain("✗ Not right. You picked another word than the wrong one. The marked answer is right.");
    await press("Enter", "2", "1", "Enter");
    expect(text()).toContain("You called a correct caption wrong.");
    await press("Enter", "1");
    expect(text()).toContain("You called a caption correct although one word is wrong.");
  });
});
