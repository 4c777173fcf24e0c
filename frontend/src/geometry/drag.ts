/** What a drag on the picture does to the box: draw a new one, move it, or pull one of its edges or corners. */

import { type Box, boxBetween, contains, type Handle, move, type Point, pull, type Size } from "./box";
import { type Grip, handleAt } from "./handles";

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
