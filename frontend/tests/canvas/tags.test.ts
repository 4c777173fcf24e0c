import { describe, expect, it } from "vitest";
import { letterOf, placeTags } from "../../src/canvas/geometry/labels";

describe("tags of boxes", () => {
  it("sit in the upper left corner of a large box", () => {
    expect(placeTags([{ box: [50, 60, 200, 200], width: 10 }], 10)).toEqual([[50, 60]]);
  });
  it("stand above a small box, or below it at the top of the image", () => {
    expect(placeTags([{ box: [50, 60, 60, 70], width: 10 }], 10)).toEqual([[50, 50]]);
    expect(placeTags([{ box: [50, 2, 60, 12], width: 10 }], 10)).toEqual([[50, 12]]);
  });
  it("move aside where another tag is already", () => {
    const box = [0, 0, 100, 100] as const;
    expect(placeTags([box, box, box].map((one) => ({ box: one, width: 10 })), 10)).toEqual([[0, 0], [10, 0], [20, 0]]);
  });
  it("are letters, for as many boxes as there are", () => {
    expect([1, 2, 26, 27, 52, 53].map(letterOf)).toEqual(["A", "B", "Z", "AA", "AZ", "BA"]);
  });
});
