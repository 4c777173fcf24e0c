import { describe, expect, it } from "vitest";
import { boxBetween } from "../src/box";

describe("a box between two corners", () => {
  it("takes the corners in any order", () => {
    expect(boxBetween([30, 40], [10, 20], 100, 100)).toEqual([10, 20, 30, 40]);
  });
  it("is cut off at the image's border", () => {
    expect(boxBetween([-5, 90], [20, 120], 100, 100)).toEqual([0, 90, 20, 100]);
  });
  it("is none where no pixel is left", () => {
    expect(boxBetween([10, 10], [10.2, 50], 100, 100)).toBeNull();
    expect(boxBetween([120, 10], [150, 50], 100, 100)).toBeNull();
  });
});
