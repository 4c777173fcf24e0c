/** The eight handles of a box: where they are, which one a point hits, and what a drag from there does. */

import { type Box, boxBetween, contains, type Handle, HANDLES, move, type Point, pull, type Size } from "./box";
import { MARGIN, type Seen } from "./viewport";

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

/** The side of a hit area, in screen pixels. */
const MOUSE = 24;
const TOUCH = 44;

/** The reach of one axis: the image with its margin, and no further than the stage shows unless the edge is outside. */
function reachOf(from: number, to: number, start: number, shown: number, length: number, margin: number) {
  const least = from >= start ? Math.max(start, -margin) : -margin;
  const most = to <= start + shown ? Math.min(start + shown, length + margin) : length + margin;
  return [least, most] as const;
}

export function gripFor(box: Box | null, touch: boolean, { view, scale }: Seen, { width, height }: Size): Grip {
  const [x0, y0, x1, y1] = box ?? [0, 0, 0, 0];
  const [left, right] = reachOf(x0, x1, view.x, view.width, width, MARGIN / scale);
  const [top, bottom] = reachOf(y0, y1, view.y, view.height, height, MARGIN / scale);
  return { reach: (touch ? TOUCH : MOUSE) / scale, bounds: [left, top, right, bottom] };
}

export interface Drag {
  readonly from: Point;
  readonly box: Box | null;
  readonly hold: Handle | "inside" | "new";
}

/** The drag that begins at a point. */
export function beginDrag(box: Box | null, from: Point, grip: Grip): Drag {
  const handle = box && handleAt(box, from, grip);
  if (handle) return { from, box, hold: handle };
  return { from, box, hold: box && contains(box, from) ? "inside" : "new" };
}

/** The box when the drag has come to a point. Always computed from the drag's beginning, so rounding never adds up. */
export function dragTo({ from, box, hold }: Drag, to: Point, size: Size): Box | null {
  if (!box || hold === "new") return boxBetween(from, to, size.width, size.height);
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  return hold === "inside" ? move(box, dx, dy, size) : (pull(box, hold, dx, dy, size) ?? box);
}
