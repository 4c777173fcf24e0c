import { describe, expect, it } from "vitest";
import { change, newHistory, redo, undo } from "../../src/canvas/geometry/history";

const three = change(change(newHistory("a"), "b"), "c");

describe("a history", () => {
  it("goes back step by step, and no further than the beginning", () => {
    expect(undo(three).now).toBe("b");
    expect(undo(undo(undo(undo(three)))).now).toBe("a");
  });
  it("goes forward again, and no further than the end", () => {
    expect(redo(undo(undo(three))).now).toBe("b");
    expect(redo(redo(redo(undo(undo(three)))))).toEqual(three);
  });
  it("forgets what was undone at the next change", () => {
    const other = change(undo(three), "d");
    expect(redo(other).now).toBe("d");
    expect(undo(other).now).toBe("b");
  });
  it("brings back nothing as well as something", () => {
    expect(undo(change(newHistory<string | null>(null), "box")).now).toBeNull();
  });
});
