/** Where the tick beside a box stands: on the stage, and off the box and its handles. All in screen pixels. */

import { between, type Box, type Point, type Size } from "./box";

/** Free pixels around the tick. */
const GAP = 4;

/**
 * The upper left corner of a square control beside `taken`, which holds the box and its handles; null if the stage has no
 * room. The lower right comes first: a drag mostly ends there.
 */
export function placeTick([x0, y0, x1, y1]: Box, side: number, { width, height }: Size): Point | null {
  const [right, bottom] = [width - side - GAP, height - side - GAP];
  if (x1 <= 0 || y1 <= 0 || x0 >= width || y0 >= height) return null;
  const x = between(x1 - side, GAP, right);
  const y = between(y1 - side, GAP, bottom);
  const places: Point[] = [
    [x1 + GAP, y],
    [x, y1 + GAP],
    [x0 - side - GAP, y],
    [x, y0 - side - GAP],
  ];
  return places.find(([left, top]) => left >= GAP && top >= GAP && left <= right && top <= bottom) ?? null;
}
