/** What jsdom lacks of SVG, and a worker's hands. In these tests an image pixel is a screen pixel. */

import { fireEvent, screen } from "@testing-library/preact";
import { beforeEach } from "vitest";
import type { Question } from "../../src/api/types";
import { forgetPictures } from "../../src/canvas/Picture";
import { forgetView } from "../../src/canvas/useViewport";
import { preload } from "../../src/labelling/views/late";

// The box as numbers is there at once.
await preload();

/** The matrix of the SVG as its viewBox says it, for a stage as large as the image. */
function matrix(this: SVGSVGElement) {
  const [x = 0, y = 0, width = 1] = (this.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const scale = width / 400;
  return { inverse: () => ({ a: scale, b: 0, c: 0, d: scale, e: x, f: y }) };
}

/** Begin each test of a file with these stubs and without the view of an earlier picture. */
export function withSvg(): void {
  beforeEach(() => {
    Object.assign(SVGElement.prototype, { getScreenCTM: matrix });
    forgetView();
    forgetPictures();
  });
}

export const question = (more: Partial<Question> = {}): Question => ({
  image: { url: "/small.jpg", full_url: "/full.jpg", width: 400, height: 300 },
  language: "",
  other_captions: [],
  captions: [{ number: 1, text: "A man with two dogs", phrases: [{ mention: 1, start: 11, end: 19 }] }],
  boxes: [],
  new_box: null,
  survey: null,
  sweep: null,
  ...more,
});

export const stage = (): HTMLElement => screen.getByRole("application");
export const drawn = (): string | null => stage().getAttribute("data-box");
export const zoom = (): number => Number(stage().getAttribute("data-zoom"));

type At = readonly [x: number, y: number];

/** Where a point of the image is on the screen. */
function onScreen([x, y]: At): { clientX: number; clientY: number } {
  const [left = 0, top = 0, width = 1] = (stage().getAttribute("viewBox") ?? "").split(" ").map(Number);
  return { clientX: ((x - left) * 400) / width, clientY: ((y - top) * 400) / width };
}

export const point = (kind: "Down" | "Move" | "Up" | "Cancel", at: At, more: object = {}): void => {
  fireEvent[`pointer${kind}`](stage(), { pointerId: 1, button: 0, pointerType: "mouse", ...onScreen(at), ...more });
};

/** A drag from one point of the image to another. */
export function drag(from: At, to: At, more: object = {}): void {
  point("Down", from, more);
  point("Move", to, more);
  point("Up", to, more);
}

export const press = (key: string, more: object = {}): boolean => fireEvent.keyDown(document.body, { key, ...more });
