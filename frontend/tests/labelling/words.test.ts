import { describe, expect, it } from "vitest";
import { commentsInWords, storedInWords } from "../../src/labelling/views/words";

const NOTHING = { stored: 0, too_late: 0, skipped: 0, repeated: false, differs: false, message: "", earned_cents: 0, test: null, session: null };

describe("in words", () => {
  it("what was stored, skipped and too late", () => {
    expect(storedInWords({ ...NOTHING, stored: 1 })).toBe("1 answer stored");
    expect(storedInWords({ ...NOTHING, stored: 2, skipped: 1, too_late: 2 })).toBe(
      "2 answers stored, 1 skipped, 2 too late",
    );
  });

  it("which comments are not sent", () => {
    expect(commentsInWords([1])).toBe("A comment is sent only with an answer: answer or skip question 2.");
    expect(commentsInWords([0, 2, 3])).toMatch(/answer or skip questions 1, 3 and 4.$/);
  });
});
