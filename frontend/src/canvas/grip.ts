/** The size of handles on the screen, and how far out they may lie to stay within reach. */

import type { Box, Size } from "../geometry/box";
import type { Grip } from "../geometry/handles";
import { MARGIN } from "../geometry/viewport";
import type { Seen } from "./useViewport";

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
