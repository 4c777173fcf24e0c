import { beforeEach, describe, expect, it } from "vitest";
import { START, step } from "../../src/state/assignment";
import { draftOf, dropDraft, dropOldDrafts, keepDraft, newest, readDraft } from "../../src/state/draft";
import { assignment } from "../support/samples";

const sitting = step(START, { type: "assigned", assignment: assignment(2), kept: null });
const older = draftOf(sitting, 1000);
const newer = draftOf({ ...sitting, index: 1 }, 2000);
const DAY = 86_400_000;

describe("drafts", () => {
  beforeEach(() => localStorage.clear());

  it("uses the newer one, wherever it was kept", () => {
    expect(newest([older, newer], 2)).toBe(newer);
    expect(newest([newer, older], 2)).toBe(newer);
    expect(newest([null, older], 2)).toBe(older);
  });

  it("uses none that belongs to other questions or is no draft", () => {
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
    keepDraft("old", draftOf(sitting, 0));
    keepDraft("new", draftOf(sitting, 20 * DAY));
    dropOldDrafts(21 * DAY);
    expect(readDraft("old")).toBeNull();
    expect(readDraft("new")).not.toBeNull();
    expect(localStorage.getItem("other")).toBe("1");
  });
});
