import { describe, expect, it } from "vitest";
import { forMany } from "./random";
import { type Box, HANDLES } from "../../src/canvas/geometry/box";
import { beginDrag, dragTo, type Grip, handleAt, handlePoint } from "../../src/canvas/geometry/handles";

const GRIP: Grip = { reach: 24, bounds: [-10, -10, 1010, 810] };
const SIZE = { width: 1000, height: 800 };

describe("handles", () => {
  it("sit on the edges and corners of a large box", () => {
    expect(handlePoint([100, 100, 300, 200], "se", GRIP)).toEqual([300, 200]);
    expect(handlePoint([100, 100, 300, 200], "n", GRIP)).toEqual([200, 100]);
  });
  it("stand outside a tiny box, so that its inside can be held", () => {
    expect(handlePoint([500, 400, 504, 404], "nw", GRIP)).toEqual([466, 366]);
    expect(handleAt([500, 400, 504, 404], [502, 402], GRIP)).toBeNull();
  });
  it("can each be hit at their own place, on a box of any size and place", () => {
    forMany((random) => {
      const [x, y] = [Math.floor(random(0, 990)), Math.floor(random(0, 790))];
      const box: Box = [x, y, Math.ceil(random(x + 1, 1000)), Math.ceil(random(y + 1, 800))];
      for (const handle of HANDLES) expect(handleAt(box, handlePoint(box, handle, GRIP), GRIP)).toBe(handle);
    });
  });
  it("never share their hit areas, not even in the corners of the image", () => {
    for (const x of [0, 500, 997])
      for (const y of [0, 400, 797]) {
        const box: Box = [x, y, x + 3, y + 3];
        const columns = (["nw", "n", "ne"] as const).map((handle) => handlePoint(box, handle, GRIP)[0]);
        const rows = (["ne", "e", "se"] as const).map((handle) => handlePoint(box, handle, GRIP)[1]);
        for (const [a = 0, b = 0, c = 0] of [columns, rows]) expect(Math.min(b - a, c - b)).toBeGreaterThanOrEqual(24);
      }
  });
  it("stay within reach of the pointer", () => {
    forMany((random) => {
      const [x, y] = [Math.floor(random(0, 990)), Math.floor(random(0, 790))];
      for (const handle of HANDLES) {
        const [hx, hy] = handlePoint([x, y, x + 3, y + 3], handle, GRIP);
        expect(hx >= -10 && hy >= -10 && hx <= 1010 && hy <= 810).toBe(true);
      }
    });
  });
});

describe("a drag", () => {
  const box: Box = [100, 100, 300, 300];
  it("outside the box draws another one", () => {
    expect(dragTo(beginDrag(box, [500, 500], GRIP), [450.4, 560.6], SIZE)).toEqual([450, 500, 500, 561]);
  });
  it("inside the box moves it", () => {
    expect(dragTo(beginDrag(box, [200, 160], GRIP), [210, 130], SIZE)).toEqual([110, 70, 310, 270]);
  });
  it("on a handle moves the edge as far as the pointer, wherever the handle was taken", () => {
    expect(dragTo(beginDrag(box, [305, 295], GRIP), [325, 290], SIZE)).toEqual([100, 100, 320, 295]);
  });
  it("keeps the box where nothing would be left of it", () => {
    expect(dragTo(beginDrag(box, [300, 200], GRIP), [100, 200], SIZE)).toEqual(box);
  });
  it("ends where it went, by whatever way", () => {
    const drag = beginDrag(box, [200, 160], GRIP);
    for (let step = 0; step < 50; step++) dragTo(drag, [200 + step * 0.3, 160], SIZE);
    expect(dragTo(drag, [200, 160], SIZE)).toEqual(box);
  });
});
