import { describe, expect, it } from "vitest";
import { forMany } from "./random";
import {
  area,
  type Box,
  boxBetween,
  clamp,
  contains,
  HANDLES,
  iou,
  isEmpty,
  move,
  normalise,
  pull,
  sameBox,
  whole,
} from "../../src/canvas/geometry/box";

const SIZE = { width: 100, height: 80 };
const inImage = ([x0, y0, x1, y1]: Box): boolean => x0 >= 0 && y0 >= 0 && x1 <= SIZE.width && y1 <= SIZE.height;
const someBox = (random: (least: number, most: number) => number): Box =>
  boxBetween([random(0, 49), random(0, 39)], [random(51, 100), random(41, 80)], 100, 80) ?? [0, 0, 1, 1];

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
  it("has every edge on the pixel border nearest to the pointer", () => {
    forMany((random) => {
      const [a, b] = [[random(0, 100), random(0, 80)], [random(0, 100), random(0, 80)]] as const;
      const box = boxBetween(a, b, 100, 80);
      if (!box) return;
      expect(Math.abs(box[0] - Math.min(a[0], b[0]))).toBeLessThanOrEqual(0.5);
      expect(Math.abs(box[3] - Math.max(a[1], b[1]))).toBeLessThanOrEqual(0.5);
      expect(box).toEqual(whole(box));
    });
  });
});

describe("a box that is changed", () => {
  it("keeps its size and stays in the image when moved", () => {
    forMany((random) => {
      const box = someBox(random);
      const moved = move(box, random(-200, 200), random(-200, 200), SIZE);
      expect([moved[2] - moved[0], moved[3] - moved[1]]).toEqual([box[2] - box[0], box[3] - box[1]]);
      expect(inImage(moved)).toBe(true);
    });
  });
  it("moves the held edge only", () => {
    expect(pull([10, 10, 50, 50], "e", 7, 9, SIZE)).toEqual([10, 10, 57, 50]);
    expect(pull([10, 10, 50, 50], "n", 7, -9, SIZE)).toEqual([10, 1, 50, 50]);
  });
  it("moves both edges of the held corner", () => {
    expect(pull([10, 10, 50, 50], "sw", 3, 5, SIZE)).toEqual([13, 10, 50, 55]);
  });
  it("turns over when an edge is pulled across the other", () => {
    expect(pull([10, 10, 20, 20], "w", 30, 0, SIZE)).toEqual([20, 10, 40, 20]);
  });
  it("stays a whole box of the image, whatever is pulled where", () => {
    forMany((random) => {
      for (const handle of HANDLES) {
        const pulled = pull(someBox(random), handle, random(-150, 150), random(-150, 150), SIZE);
        expect(pulled === null || (inImage(pulled) && !isEmpty(pulled) && sameBox(pulled, whole(pulled)))).toBe(true);
      }
    });
  });
  it("has its corners put in order and is cut to the image", () => {
    expect(normalise([5, 9, 1, 2])).toEqual([1, 2, 5, 9]);
    expect(clamp([-4, 3, 200, 90], SIZE)).toEqual([0, 3, 100, 80]);
  });
});

describe("half-open boxes", () => {
  it("hold their left and top edge, not their right and bottom edge", () => {
    expect(contains([10, 10, 20, 20], [10, 10])).toBe(true);
    expect(contains([10, 10, 20, 20], [20, 15])).toBe(false);
    expect(contains([10, 10, 20, 20], [15, 20])).toBe(false);
  });
  it("overlap by 0 when they only touch and by 1 when they are the same", () => {
    expect(iou([0, 0, 10, 10], [10, 0, 20, 10])).toBe(0);
    expect(iou([3, 4, 9, 9], [3, 4, 9, 9])).toBe(1);
    expect(iou([0, 0, 10, 10], [0, 0, 10, 5])).toBe(0.5);
  });
  it("overlap the same both ways, by no more than the smaller fills the larger", () => {
    forMany((random) => {
      const [a, b] = [someBox(random), someBox(random)];
      expect(iou(a, b)).toBe(iou(b, a));
      expect(iou(a, b)).toBeLessThanOrEqual(Math.min(area(a), area(b)) / Math.max(area(a), area(b)) + 1e-12);
    });
  });
});
