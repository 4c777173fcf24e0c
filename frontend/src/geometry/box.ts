/** Boxes in whole image pixels, half open: [x0, x1) x [y0, y1). */

export type Box = readonly [x0: number, y0: number, x1: number, y1: number];
export type Point = readonly [x: number, y: number];

/** The box between two corners, inside an image of this size; null if nothing is left of it. */
export function boxBetween(a: Point, b: Point, width: number, height: number): Box | null {
  const inside = (value: number, most: number): number => Math.min(Math.max(Math.round(value), 0), most);
  const x = [inside(a[0], width), inside(b[0], width)].sort((p, q) => p - q) as [number, number];
  const y = [inside(a[1], height), inside(b[1], height)].sort((p, q) => p - q) as [number, number];
  return x[0] < x[1] && y[0] < y[1] ? [x[0], y[0], x[1], y[1]] : null;
}
