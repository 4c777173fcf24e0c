import { describe, expect, it } from "vitest";
import type { Box } from "../../src/canvas/geometry/box";
import {
  beginGold,
  chosenChain,
  type GoldEvent,
  type GoldState,
  type Sheet,
  sheetOf,
  stepGold,
} from "../../src/projects/gold/reducer";

const A: Box = [0, 0, 10, 10];
const B: Box = [20, 20, 40, 40];
const blank: Sheet = [0, 1, 2].map((one) => ({ mentions: [one], non_visual: "", boxes: [] }));
const after = (...events: GoldEvent[]): GoldState => events.reduce(stepGold, beginGold(blank, [0, 1, 2]));
const drawn = (box: Box): GoldEvent => ({ type: "drawn", box });
const boxes = (state: GoldState): number[] => sheetOf(state).map((chain) => chain.boxes.length);
const draw: GoldEvent = { type: "draw" };
const confirm: GoldEvent = { type: "confirm" };

describe("the chosen chain", () => {
  it("is the first at first, and the next or the previous one round in a circle", () => {
    expect(after().at).toBe(0);
    expect(after({ type: "next chain", by: -1 }).at).toBe(2);
    expect(after({ type: "next chain", by: 1 }, { type: "next chain", by: 1 }, { type: "next chain", by: 1 }).at).toBe(0);
  });

  it("gets or loses a phrase that is pressed while links are made, and follows its own phrase out", () => {
    const joined = after({ type: "link" }, { type: "press", mention: 2 });
    expect(chosenChain(joined)?.mentions).toEqual([0, 2]);
    expect(joined.said).toBe("The phrase belongs to the chosen chain.");
    const parted = stepGold(joined, { type: "press", mention: 0 });
    expect([parted.at, chosenChain(parted)?.mentions]).toEqual([2, [2]]);
    expect(parted.said).toBe("The phrase is a chain of its own.");
  });

  it("is that of a phrase that is pressed while no links are made", () => {
    const pressed = after({ type: "press", mention: 1 });
    expect([pressed.at, sheetOf(pressed)]).toEqual([1, blank]);
  });

  it("is the next that waits once one has a reason for no box", () => {
    const marked = after({ type: "decide", reason: "no box" });
    expect([marked.at, sheetOf(marked)[0]?.non_visual]).toEqual([1, "no box"]);
    const last = after({ type: "choose", mention: 2 }, { type: "decide", reason: "scene" });
    expect([last.at, last.said]).toEqual([2, "The chain is the whole scene."]);
  });

  it("is one that waits when the annotation is not finished", () => {
    const left = after({ type: "decide", reason: "scene" }, { type: "choose", mention: 0 }, { type: "next undecided" });
    expect([left.at, left.said]).toEqual([1, "2 of 3 chains have neither a box nor a reason for none."]);
  });
});

describe("a box", () => {
  it("counts when it is confirmed, and the next can be drawn", () => {
    const two = after(draw, drawn(A), confirm, drawn(B), confirm);
    expect([boxes(two), two.drawing, two.drawn]).toEqual([[2, 0, 0], true, null]);
  });

  it("that is not confirmed counts when drawing ends, and not when it is left", () => {
    expect(boxes(after(draw, drawn(A), draw))).toEqual([1, 0, 0]);
    const left = after({ type: "link" }, draw, drawn(A), { type: "leave" });
    expect([boxes(left), left.drawing, left.linking]).toEqual([[0, 0, 0], false, false]);
  });

  it("that is chosen is removed, or the last one", () => {
    const two = [draw, drawn(A), confirm, drawn(B), draw];
    const first = after(...two, { type: "next box", by: 1 }, { type: "remove" });
    expect([sheetOf(first)[0]?.boxes, first.held]).toEqual([[B], null]);
    expect(sheetOf(after(...two, { type: "remove" }))[0]?.boxes).toEqual([A]);
    expect(after({ type: "remove" }).said).toBe("This chain has no box.");
    expect(after({ type: "next box", by: 1 }).said).toBe("This chain has no box.");
  });

  it("is gone by undo, and there again by redo", () => {
    const undone = after(draw, drawn(A), draw, { type: "undo" });
    expect([boxes(undone), boxes(stepGold(undone, { type: "redo" }))]).toEqual([[0, 0, 0], [1, 0, 0]]);
  });
});

it("one side of a dispute takes the place of what the sheet has, in words that are said", () => {
  const taken = after({ type: "take", chains: [{ mentions: [0, 1], non_visual: "", boxes: [A] }], words: "Taken from Ada." });
  expect([sheetOf(taken).map((chain) => chain.mentions), taken.said]).toEqual([[[0, 1], [2]], "Taken from Ada."]);
});
