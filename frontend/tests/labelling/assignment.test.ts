import { describe, expect, it } from "vitest";
import {
  answered,
  isDrawn,
  leftOut,
  type PageEvent,
  type PageState,
  repliesOf,
  START,
  step,
  unsentComments,
} from "../../src/labelling/assignment";
import { assignment } from "../support/samples";

const after = (...happenings: PageEvent[]): PageState =>
  happenings.reduce(step, step(START, { type: "assigned", assignment: assignment(3), kept: null }));

const SAME: PageEvent = { type: "answer", answer: "same" };

describe("an assignment", () => {
  it("goes on to the next question when one is answered", () => {
    expect(after(SAME)).toMatchObject({ phase: "asking", index: 1 });
  });

  it("comes to the summary after the last question", () => {
    expect(after(SAME, SAME, SAME)).toMatchObject({ phase: "summary", index: 3 });
  });

  it("goes to the next open question after an answer was changed", () => {
    const changed = after(SAME, SAME, { type: "go", index: 0 }, { type: "answer", answer: "different" });
    expect(changed.index).toBe(2);
    expect(changed.entries[0]?.answer).toBe("different");
  });

  it("does not leave its questions", () => {
    expect(after({ type: "go", index: -1 }).index).toBe(0);
    expect(after({ type: "go", index: 99 })).toMatchObject({ index: 3, phase: "summary" });
  });

  it("sends a reason for what is skipped and nothing for what is left out", () => {
    const skip: PageEvent = { type: "skip", reason: "unclear", comment: "which one?" };
    const { entries } = after({ ...SAME, seconds: 2.345 }, skip, { type: "go", index: 3 });
    expect(repliesOf(entries)).toEqual([
      { answer: "same", seconds: 2.3, comment: "" },
      { skip: "unclear", comment: "which one?" },
      null,
    ]);
    expect(leftOut(entries)).toBe(1);
  });

  it("keeps a box that is not confirmed, stays, and does not send it", () => {
    const box = { box: [1, 2, 3, 4] } as const;
    const drawn = after({ type: "change", answer: { box: [...box.box] } });
    expect(drawn).toMatchObject({ index: 0, entries: [{ answer: box, decided: false }, {}, {}] });
    expect(repliesOf(drawn.entries)).toEqual([null, null, null]);
    expect(drawn.entries.map(isDrawn)).toEqual([true, false, false]);
    expect(step(drawn, { type: "answer", answer: { box: [...box.box] } }).entries.some(isDrawn)).toBe(false);
  });

  it("forgets the reason to skip once there is an answer", () => {
    const skip: PageEvent = { type: "skip", reason: "other", comment: "" };
    const { entries } = after(skip, { type: "go", index: 0 }, SAME);
    expect(entries[0]).toMatchObject({ skip: null, answer: "same" });
  });

  it("counts time for the question that was in view", () => {
    const { entries } = after({ type: "go", index: 1, seconds: 4 }, { type: "comment", text: "hm", seconds: 3 }, { ...SAME, seconds: 2 });
    expect(entries.map(({ seconds }) => seconds)).toEqual([4, 5, 0]);
  });

  it("goes on where the draft stopped", () => {
    const { entries } = after(SAME);
    const resumed = step(START, { type: "assigned", assignment: assignment(3), kept: { index: 1, entries } });
    expect(resumed).toMatchObject({ phase: "asking", index: 1, entries });
  });

  it("keeps every answer when the server refuses them", () => {
    const unsent = after(SAME, SAME, SAME, { type: "send" }, { type: "unsent", problem: { code: "bad_answer", message: "No." } });
    expect(unsent).toMatchObject({ phase: "summary", problem: { message: "No." } });
    expect(leftOut(unsent.entries)).toBe(0);
  });

  it("is over at once when its lease ran out before it was opened", () => {
    const late = step(START, { type: "assigned", assignment: assignment(3, { seconds_left: 0 }), kept: null });
    expect(late).toMatchObject({ ended: true, phase: "asking" });
  });
});

describe("before it is sent", () => {
  const comment: PageEvent = { type: "comment", text: "hm" };
  const go = (index: number): PageEvent => ({ type: "go", index });

  it("counts answers, but neither skipped questions nor boxes that are only drawn", () => {
    const drawn: PageEvent = { type: "change", answer: { box: [1, 2, 3, 4] } };
    expect(answered(after(SAME, { type: "skip", reason: "other", comment: "" }, drawn).entries)).toBe(1);
    expect(answered(after(SAME, go(0), { type: "skip", reason: "other", comment: "" }).entries)).toBe(0);
  });

  it("knows the comments that go with no answer", () => {
    expect(unsentComments(after(comment, SAME, comment).entries)).toEqual([1]);
    expect(unsentComments(after(comment, go(2), comment, go(0), SAME).entries)).toEqual([2]);
    expect(unsentComments(after({ type: "comment", text: " " }).entries)).toEqual([]);
  });
});
