import { describe, expect, it } from "vitest";
import { forMany } from "./random";
import { around, type Box, type Point } from "../../src/canvas/geometry/box";
import { placeTick } from "../../src/canvas/geometry/labels";

const SIZE = { width: 400, height: 300 };

describe("a box from points", () => {
  it("is around the four ends of an object, in whatever order they come", () => {
    forMany((random) => {
      const ends: Point[] = [[random(100, 200), 50.4], [30.2, random(60, 150)], [random(50, 200), 170.6], [250.5, random(60, 150)]];
      const turned = [...ends.slice(2), ...ends.slice(0, 2)];
      expect(around(ends, SIZE)).toEqual([30, 50, 251, 171]);
      expect(around(turned, SIZE)).toEqual([30, 50, 251, 171]);
    });
  });
  it("is the one that a drag between the two corners draws", () => {
    expect(around([[100.4, 50.3], [20.2, 120.6]], SIZE)).toEqual([20, 50, 100, 121]);
  });
  it("ends at the border of the image, and is none without an area", () => {
    expect(around([[-9, 10], [500, 20]], SIZE)).toEqual([0, 10, 400, 20]);
    expect(around([[5, 5], [5.2, 80]], SIZE)).toBeNull();
  });
});

describe("the tick beside a box", () => {
  const overlap = (a: Box, b: Box): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  it("never covers the box and never leaves the stage", () => {
    let placed = 0;
    forMany((random) => {
      const [x, y] = [random(-100, 380), random(-100, 280)];
      const box: Box = [x, y, x + random(1, 400), y + random(1, 300)];
      const place = placeTick(box, 32, SIZE);
      if (!place) return;
      placed += 1;
      const tick: Box = [place[0], place[1], place[0] + 32, place[1] + 32];
      expect(overlap(tick, box)).toBe(false);
      expect(Math.min(...tick)).toBeGreaterThanOrEqual(0);
      expect([tick[2] <= 400, tick[3] <= 300]).toEqual([true, true]);
    });
    expect(placed).toBeGreaterThan(200);
  });
  it("stands where the drag mostly ends, and nowhere if there is no room or no box in view", () => {
    expect(placeTick([50, 50, 150, 120], 32, SIZE)).toEqual([154, 88]);
    expect(placeTick([0, 0, 400, 300], 32, SIZE)).toBeNull();
    expect(placeTick([500, 10, 600, 50], 32, SIZE)).toBeNull();
  });
});
