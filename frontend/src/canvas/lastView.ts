/** The view of the last picture: it stays while questions are about the same picture. */

import type { Picture } from "../api/types";
import type { Box } from "../geometry/box";
import { fit, type Frame, resized, type View, zoomOf } from "../geometry/viewport";

let last: { readonly url: string; readonly view: View; readonly frame: Frame } | null = null;

export const keepView = ({ url }: Picture, view: View, frame: Frame): void => void (last = { url, view, frame });

const shows = ({ x, y, width, height }: View, [x0, y0, x1, y1]: Box): boolean =>
  x0 >= x && y0 >= y && x1 <= x + width && y1 <= y + height;

/** Where the worker left the picture zoomed in, if all of the box that the question is about shows there; else all of it. */
export function lastView({ url }: Picture, frame: Frame, near: Box | null): View {
  if (last?.url !== url || zoomOf(last.view, last.frame) <= 1.001) return fit(frame);
  const view = resized(last.view, last.frame, frame);
  return near && !shows(view, near) ? fit(frame) : view;
}

/** For tests: as in a new page. */
export const forgetView = (): void => void (last = null);
