/** Boxes from points: two opposite corners, or the four ends of the object [Papadopoulos et al. 2017]. */

import { type Box, boxBetween, type Point, type Size } from "./box";

/** The smallest box around all points; null if it would be empty. */
export function around(points: readonly Point[], { width, height }: Size): Box | null {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return boxBetween([Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)], width, height);
}
