import { describe, expect, it } from "vitest";
import { type PageEvent, START, step } from "../../src/labelling/assignment";
import { draftOf, dropDraft, dropOldDrafts, keepDraft, leftBehind, newest, readDraft } from "../../src/labelling/draft";
import { assignment } from "../support/samples";

const state = step(START, { type: "assigned", assignment: assignment(2), kept: null });
const HERE = { project: "demo", task: "coreference_link" } as const;
const older = draftOf(state, HERE, 1000);
const newer = draftOf({ ...state, index: 1 }, HERE, 2000);
const decided = step(state, { type: "answer", answer: "same" });
const drawn = step(state, { type: "change", answer: { box: [1, 2, 3, 4] } });
const skip: PageEvent = { type: "skip", reason: "other", comment: "" };
const DAY = 86_400_000;

describe("drafts", () => {
  it("uses the newer one, wherever it was kept", () => {
    expect(newest([older, newer], 2)).toBe(newer);
    expect(newest([newer, older], 2)).toBe(newer);
    expect(newest([null, older], 2)).toBe(older);
  });

  it("uses none that belongs to other questions or is not a draft", () => {
    expect(newest([newer, null], 3)).toBeNull();
    for (const strange of [null, 7, "draft", {}, { ...newer, form: 2 }, { ...newer, entries: [{}, {}] }])
      expect(newest([strange], 2)).toBeNull();
  });

  it("keeps them per assignment", () => {
    keepDraft("t-1", newer);
    expect(newest([readDraft("t-1")], 2)).toEqual(newer);
    expect(readDraft("t-2")).toBeNull();
    dropDraft("t-1");
    expect(readDraft("t-1")).toBeNull();
  });

  it("reads nothing from what is not its own", () => {
    localStorage.setItem("chainbox draft t-1", "{broken");
    expect(readDraft("t-1")).toBeNull();
  });

  it("forgets what nobody came back to, and only that", () => {
    localStorage.setItem("other", "1");
    keepDraft("old", draftOf(state, HERE, 0));
    keepDraft("new", draftOf(state, HERE, 20 * DAY));
    dropOldDrafts(21 * DAY);
    expect(readDraft("old")).toBeNull();
    expect(readDraft("new")).not.toBeNull();
    expect(localStorage.getItem("other")).toBe("1");
  });
});

describe("what an earlier assignment left behind", () => {
  it("is the newest draft of another assignment", () => {
    keepDraft("t-1", draftOf(decided, HERE, 1000));
    keepDraft("t-2", draftOf(decided, HERE, 3000));
    keepDraft("t-3", draftOf(decided, HERE, 2000));
    expect(leftBehind(HERE, ["t-9"])).toMatchObject({ token: "t-2", draft: { saved: 3000 } });
    expect(leftBehind(HERE, ["t-2"])?.token).toBe("t-3");
    expect(leftBehind(HERE, [""])?.token).toBe("t-2");
  });

  it("is of the same project and the same task", () => {
    keepDraft("t-1", draftOf(decided, { ...HERE, project: "other" }, 1000));
    keepDraft("t-2", draftOf(decided, { ...HERE, task: "box_drawing" }, 1000));
    expect(leftBehind(HERE, [""])).toBeNull();
    keepDraft("t-3", draftOf(decided, HERE, 1000));
    expect(leftBehind(HERE, [""])?.token).toBe("t-3");
  });

  it("holds at least one answer that was decided", () => {
    keepDraft("t-1", draftOf(state, HERE, 1000));
    keepDraft("t-2", draftOf(drawn, HERE, 1000));
    keepDraft("t-3", draftOf(step(decided, { type: "go", index: 0 }), HERE, 0));
    keepDraft("t-4", draftOf(step(state, skip), HERE, 1000));
    expect(leftBehind(HERE, [""])?.token).toBe("t-3");
  });

  it("is nothing that is not a draft", () => {
    localStorage.setItem("chainbox draft t-1", "{broken");
    localStorage.setItem("chainbox draft t-2", JSON.stringify({ ...draftOf(decided, HERE, 1), entries: 3 }));
    localStorage.setItem("other", JSON.stringify(draftOf(decided, HERE, 1)));
    expect(leftBehind(HERE, [""])).toBeNull();
  });
});
