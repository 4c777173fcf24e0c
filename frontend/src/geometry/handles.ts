/** Where the eight handles of a box are, and which one a point hits. */

import { type Box, type Handle, HANDLES, type Point } from "./box";

/** How large handles are and how far out they may stand, all in image pixels. */
export interface Grip {
  /** The side of a handle's hit area. */
  readonly reach: number;
  /** Where a pointer can get: the image and a little around it. */
  readonly bounds: Box;
}

/**
 * The places of the three handles along one side. On a side that is too short for three they stand off it,
 * and at the border of the image they give way inwards.
 */
function places(from: number, to: number, reach: number, least: number, most: number): [number, number, number] {
  const off = Math.max(0, (3 * reach - (to - from)) / 2);
  const inset = Math.min(off, reach / 2);
  let first = Math.max(from - off, least + inset);
  let middle = Math.max((from + to) / 2, first + reach);
  let last = Math.max(to + off, middle + reach);
  last = Math.min(last, most - inset);
  middle = Math.min(middle, last - reach);
  first = Math.min(first, middle - reach);
  return [first, middle, last];
}

/** The middle of a handle. */
export function handlePoint([x0, y0, x1, y1]: Box, handle: Handle, { reach, bounds }: Grip): Point {
  const [west, midX, east] = places(x0, x1, reach, bounds[0], bounds[2]);
  const [north, midY, south] = places(y0, y1, reach, bounds[1], bounds[3]);
  const x = handle.includes("w") ? west : handle.includes("e") ? east : midX;
  const y = handle.includes("n") ? north : handle.includes("s") ? south : midY;
  return [x, y];
}

/** The point of the box that a handle moves. */
export function anchor([x0, y0, x1, y1]: Box, handle: Handle): Point {
  const x = handle.includes("w") ? x0 : handle.includes("e") ? x1 : (x0 + x1) / 2;
  const y = handle.includes("n") ? y0 : handle.includes("s") ? y1 : (y0 + y1) / 2;
  return [x, y];
}

/** The handle whose hit area holds the point; the nearest if there are several. */
export function handleAt(box: Box, point: Point, grip: Grip): Handle | null {
  let found: Handle | null = null;
  let least = grip.reach / 2;
  for (const handle of HANDLES) {
    const [x, y] = handlePoint(box, handle, grip);
    const far = Math.max(Math.abs(point[0] - x), Math.abs(point[1] - y));
    if (far <= least) [found, least] = [handle, far];
  }
  return found;
}
