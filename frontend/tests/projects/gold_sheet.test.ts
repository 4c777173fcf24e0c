import { describe, expect, it } from "vitest";
import type { Box } from "../../src/canvas/geometry/box";
import { addBox, decide, dropBox, link, type Sheet, takeSide, undecided } from "../../src/projects/gold/reducer";

const A: Box = [0, 0, 10, 10];
const B: Box = [20, 20, 40, 40];
const ORDER = [0, 1, 7, 2]; // an expert added mention 7
const blank: Sheet = ORDER.map((one) => ({ mentions: [one], non_visual: "", boxes: [] }));
const mentions = (sheet: Sheet): readonly (readonly number[])[] => sheet.map((one) => one.mentions);

describe("linking", () => {
  it("puts a phrase into a chain, and out of it again", () => {
    const joined = link(blank, 7, 0, ORDER);
    expect(mentions(joined)).toEqual([[0, 7], [1], [2]]);
    expect(mentions(link(joined, 2, 7, ORDER))).toEqual([[0, 7, 2], [1]]);
    expect(mentions(link(joined, 0, 7, ORDER))).toEqual([[0], [1], [7], [2]]);
  });
  it("leaves a lonely phrase alone", () => {
    expect(link(blank, 1, 1, ORDER)).toBe(blank);
    expect(link(blank, 9, 1, ORDER)).toBe(blank);
  });
  it("hands the boxes of an emptied chain on, and a box ends a reason for none", () => {
    const some = decide(addBox(addBox(blank, 1, A), 1, B), 0, "scene");
    expect(link(some, 1, 0, ORDER)[0]).toEqual({ mentions: [0, 1], non_visual: "", boxes: [A, B] });
    expect(link(decide(blank, 1, "scene"), 1, 0, ORDER)[0]?.non_visual).toBe("scene");
  });
  it("leaves the boxes with the phrases that stay", () => {
    const pair = addBox(link(blank, 1, 0, ORDER), 0, A);
    expect(link(pair, 1, 2, ORDER).map((one) => one.boxes.length)).toEqual([1, 0, 0]);
  });
});

describe("deciding", () => {
  it("takes a chain as scene or without a box, and back", () => {
    const scene = decide(addBox(blank, 0, A), 0, "scene");
    expect(scene[0]).toEqual({ mentions: [0], non_visual: "scene", boxes: [] });
    expect(decide(scene, 0, "no box")[0]?.non_visual).toBe("no box");
    expect(undecided(decide(scene, 0, "scene"))).toHaveLength(4);
    expect(undecided(scene)).toHaveLength(3);
  });
  it("keeps a box once, and takes boxes away one by one", () => {
    const two = addBox(addBox(addBox(blank, 0, A), 0, B), 0, A);
    expect(two[0]?.boxes).toEqual([A, B]);
    expect(dropBox(two, 0, 0)[0]?.boxes).toEqual([B]);
    expect(addBox(decide(blank, 0, "no box"), 0, A)[0]?.non_visual).toBe("");
  });
});

describe("taking a side", () => {
  it("replaces what the sheet says about its phrases", () => {
    const sheet = addBox(link(blank, 1, 0, ORDER), 0, A);
    const side: Sheet = [{ mentions: [1, 2], non_visual: "scene", boxes: [] }];
    expect(takeSide(sheet, side, ORDER)).toEqual([
      { mentions: [0], non_visual: "", boxes: [A] },
      { mentions: [1, 2], non_visual: "scene", boxes: [] },
      { mentions: [7], non_visual: "", boxes: [] },
    ]);
  });
});
