/** Boxes in whole image pixels, half open: [x0, x1) x [y0, y1). No function rounds twice. */

export type Box = readonly [x0: number, y0: number, x1: number, y1: number];
export type Point = readonly [x: number, y: number];
export interface Size {
  readonly width: number;
  readonly height: number;
}

export const between = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** The same area with its corners in order. */
export function normalise([x0, y0, x1, y1]: Box): Box {
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

/** The part of a box that is inside an image of this size; it may be empty. */
export function clamp([x0, y0, x1, y1]: Box, { width, height }: Size): Box {
  return [between(x0, 0, width), between(y0, 0, height), between(x1, 0, width), between(y1, 0, height)];
}

/** Every edge on the nearest pixel border. */
export function whole([x0, y0, x1, y1]: Box): Box {
  return [Math.round(x0), Math.round(y0), Math.round(x1), Math.round(y1)];
}

export const isEmpty = ([x0, y0, x1, y1]: Box): boolean => x0 >= x1 || y0 >= y1;

/** The box between two corners, inside an image of this size; null if nothing is left of it. */
export function boxBetween(a: Point, b: Point, width: number, height: number): Box | null {
  const box = whole(clamp(normalise([a[0], a[1], b[0], b[1]]), { width, height }));
  return isEmpty(box) ? null : box;
}

/** The box moved as far as the image allows; its size stays. */
export function move([x0, y0, x1, y1]: Box, dx: number, dy: number, { width, height }: Size): Box {
  const right = between(Math.round(dx), -x0, width - x1);
  const down = between(Math.round(dy), -y0, height - y1);
  return [x0 + right, y0 + down, x1 + right, y1 + down];
}

/** The edge or corner of a box that is held, by its point of the compass. */
export type Handle = "nw" | "n" | "ne" | "e" | "se" | "s" | "sw" | "w";
export const HANDLES: readonly Handle[] = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];

/** The box with one edge or corner moved; it may turn over. Null if nothing would be left of it. */
export function pull(box: Box, handle: Handle, dx: number, dy: number, { width, height }: Size): Box | null {
  const [x0, y0, x1, y1] = box;
  const left = handle.includes("w") ? dx : 0;
  const right = handle.includes("e") ? dx : 0;
  const top = handle.includes("n") ? dy : 0;
  const bottom = handle.includes("s") ? dy : 0;
  return boxBetween([x0 + left, y0 + top], [x1 + right, y1 + bottom], width, height);
}

export function contains([x0, y0, x1, y1]: Box, [x, y]: Point): boolean {
  return x >= x0 && x < x1 && y >= y0 && y < y1;
}

/** 0 for a box that is turned over: nothing is left of it. */
export const area = ([x0, y0, x1, y1]: Box): number => Math.max(0, x1 - x0) * Math.max(0, y1 - y0);

/** The area that two boxes share. */
export const overlap = (a: Box, b: Box): number =>
  area([Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]);

/** Intersection over union: 0 not at all, 1 exactly the same. */
export function iou(a: Box, b: Box): number {
  const common = overlap(a, b);
  return common / (area(a) + area(b) - common);
}

export const sameBox = (a: Box | null, b: Box | null): boolean => a?.join() === b?.join();

/** The smallest box around all points; null if it would be empty. */
export function around(points: readonly Point[], { width, height }: Size): Box | null {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return boxBetween([Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)], width, height);
}
