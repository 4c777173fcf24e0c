import { describe, expect, it } from "vitest";
import { forMany } from "./random";
import {
  fit,
  isSmall,
  MARGIN,
  mostZoom,
  pan,
  resized,
  scaleOf,
  type StageSizes,
  type View,
  zoomBy,
  zoomOf,
  zoomTo,
} from "../../src/canvas/geometry/viewport";

const FRAME: StageSizes = { image: { width: 1000, height: 500 }, stage: { width: 820, height: 620 } };
const someFrame = (random: (least: number, most: number) => number): StageSizes => ({
  image: { width: Math.round(random(40, 6000)), height: Math.round(random(40, 6000)) },
  stage: { width: random(300, 1600), height: random(200, 1200) },
});
/** What a point of the stage, given as a fraction, shows. */
const shownAt = (view: View, [x, y]: readonly [number, number]) => [view.x + x * view.width, view.y + y * view.height];
/** How much of the image is hidden beyond each border of the stage; negative: a gap. */
const hidden = (view: View, { image }: StageSizes): number[] => [
  view.x,
  view.y,
  image.width - view.x - view.width,
  image.height - view.y - view.height,
];

describe("the whole picture", () => {
  it("is in the middle, with a margin on the tighter side", () => {
    const view = fit(FRAME);
    expect(scaleOf(view, FRAME)).toBeCloseTo((820 - 2 * MARGIN) / 1000);
    expect(view.x).toBeCloseTo((1000 - view.width) / 2);
    expect(view.y).toBeCloseTo((500 - view.height) / 2);
  });
  it("is zoom 1 and has the shape of the stage, for any image and stage", () => {
    forMany((random) => {
      const frame = someFrame(random);
      const view = fit(frame);
      expect(zoomOf(view, frame)).toBeCloseTo(1);
      expect(view.width / view.height).toBeCloseTo(frame.stage.width / frame.stage.height);
      expect(Math.max(...hidden(view, frame))).toBeLessThan(0);
    });
  });
});

describe("zooming", () => {
  it("keeps what is under the pointer there", () => {
    const near = zoomBy(fit(FRAME), FRAME, 3);
    const nearer = zoomBy(near, FRAME, 2, [0.3, 0.6]);
    const [before, after] = [shownAt(near, [0.3, 0.6]), shownAt(nearer, [0.3, 0.6])];
    expect(after[0]).toBeCloseTo(before[0] ?? NaN);
    expect(after[1]).toBeCloseTo(before[1] ?? NaN);
  });
  it("stops at the whole picture and at the most", () => {
    expect(zoomBy(fit(FRAME), FRAME, 0.01)).toEqual(fit(FRAME));
    expect(zoomOf(zoomBy(fit(FRAME), FRAME, 1e6), FRAME)).toBeCloseTo(mostZoom(FRAME));
  });
  it("goes to sixteen times, further where a pixel is not yet 16 screen pixels large", () => {
    expect(mostZoom({ image: { width: 100, height: 100 }, stage: { width: 800, height: 800 } })).toBe(16);
    const large: StageSizes = { image: { width: 8000, height: 8000 }, stage: { width: 800, height: 800 } };
    expect(scaleOf(zoomBy(fit(large), large, 1e6), large)).toBeCloseTo(16);
  });
  it("never leaves a gap beyond the margin where the picture could fill the stage", () => {
    forMany((random) => {
      const frame = someFrame(random);
      let view = zoomBy(fit(frame), frame, random(1, 30), [random(0, 1), random(0, 1)]);
      view = pan(view, frame, random(-5000, 5000), random(-5000, 5000));
      const margin = MARGIN / scaleOf(view, frame) + 1e-6;
      const [left = 0, top = 0, right = 0, bottom = 0] = hidden(view, frame);
      for (const [a, b] of [[left, right], [top, bottom]] as const)
        expect(Math.min(a, b) >= -margin || Math.abs(a - b) < 1e-6).toBe(true);
    });
  });
});

describe("looking around", () => {
  it("pushes the picture by screen pixels", () => {
    const near = zoomBy(fit(FRAME), FRAME, 4);
    expect(pan(near, FRAME, 32, -16).x).toBeCloseTo(near.x - 32 / scaleOf(near, FRAME));
    expect(pan(near, FRAME, 32, -16).y).toBeCloseTo(near.y + 16 / scaleOf(near, FRAME));
  });
  it("shows all of a box from near", () => {
    forMany((random) => {
      const frame = someFrame(random);
      const { width, height } = frame.image;
      const [x0, y0] = [random(0, width - 2), random(0, height - 2)];
      const box = [x0, y0, random(x0 + 1, width), random(y0 + 1, height)] as const;
      const view = zoomTo(box, frame);
      const slack = 1e-6;
      expect(view.x <= box[0] + slack && view.x + view.width >= box[2] - slack).toBe(true);
      expect(view.y <= box[1] + slack && view.y + view.height >= box[3] - slack).toBe(true);
    });
  });
  it("keeps zoom and middle when the stage changes", () => {
    const near = zoomBy(fit(FRAME), FRAME, 5);
    const after: StageSizes = { ...FRAME, stage: { width: 400, height: 500 } };
    const view = resized(near, FRAME, after);
    expect(zoomOf(view, after)).toBeCloseTo(5);
    expect(shownAt(view, [0.5, 0.5])).toEqual([expect.closeTo(500), expect.closeTo(250)]);
  });
  it("calls a box small that takes less than a fifth of the stage", () => {
    expect(isSmall([0, 0, 20, 20], FRAME)).toBe(true);
    expect(isSmall([0, 0, 20, 400], FRAME)).toBe(false);
  });
});
