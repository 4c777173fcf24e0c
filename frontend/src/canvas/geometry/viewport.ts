/** Which part of an image a stage shows. All in image pixels, but for the stage's own size in screen pixels. */

import { between, type Box, type Point, type Size } from "./box";

/** The part shown, as an SVG viewBox. It has the shape of the stage, so it may reach beyond the image. */
export interface View extends Size {
  readonly x: number;
  readonly y: number;
}
/** What a stage shows. */
export interface Seen {
  readonly view: View;
  /** Screen pixels per image pixel. */
  readonly scale: number;
}
export interface StageSizes {
  readonly image: Size;
  readonly stage: Size;
}

/** Screen pixels left free around the image, so that a drag can begin on its very border. */
export const MARGIN = 10;
const MOST_ZOOM = 16;
const MOST_SCALE = 16;

const free = (length: number): number => Math.max(length - 2 * MARGIN, length / 2);

/** Screen pixels per image pixel when the whole image is shown. */
function fitScale({ image, stage }: StageSizes): number {
  return Math.min(free(stage.width) / image.width, free(stage.height) / image.height);
}

/** The view around a point at a scale. */
function viewAround([x, y]: Point, scale: number, { stage }: StageSizes): View {
  const [width, height] = [stage.width / scale, stage.height / scale];
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** The whole image in the middle of the stage. */
export function fit(frame: StageSizes): View {
  return viewAround([frame.image.width / 2, frame.image.height / 2], fitScale(frame), frame);
}

/** Screen pixels per image pixel. */
export const scaleOf = (view: View, { stage }: StageSizes): number => stage.width / view.width;

/** 1 is the whole image. */
export const zoomOf = (view: View, frame: StageSizes): number => scaleOf(view, frame) / fitScale(frame);

/** Sixteen times, or an image pixel as large as 16 screen pixels, whichever is more. */
export const mostZoom = (frame: StageSizes): number => Math.max(MOST_ZOOM, MOST_SCALE / fitScale(frame));

/** One axis of `clampView`: in the middle if all of the image fits, else without a gap. */
function clampAxis(start: number, shown: number, image: number, margin: number): number {
  const [least, most] = [-margin, image + margin - shown];
  return most <= least ? (image - shown) / 2 : between(start, least, most);
}

/** The nearest view that shows as much of the image as the stage can hold. */
export function clampView(view: View, frame: StageSizes): View {
  const margin = MARGIN / scaleOf(view, frame);
  return {
    ...view,
    x: clampAxis(view.x, view.width, frame.image.width, margin),
    y: clampAxis(view.y, view.height, frame.image.height, margin),
  };
}

/** Zoomed by a factor; what is at `at` (a fraction of the stage's width and height) stays there if it can. */
export function zoomBy(view: View, frame: StageSizes, factor: number, at: Point = [0.5, 0.5]): View {
  const zoom = between(zoomOf(view, frame) * factor, 1, mostZoom(frame));
  const scale = zoom * fitScale(frame);
  const [width, height] = [frame.stage.width / scale, frame.stage.height / scale];
  const x = view.x + at[0] * (view.width - width);
  const y = view.y + at[1] * (view.height - height);
  return clampView({ x, y, width, height }, frame);
}

/** The picture pushed by these screen pixels. */
export function pan(view: View, frame: StageSizes, dx: number, dy: number): View {
  const scale = scaleOf(view, frame);
  return clampView({ ...view, x: view.x - dx / scale, y: view.y - dy / scale }, frame);
}

/** A box in the middle of the stage, with `margin` times its longer side free around it. */
export function zoomTo(box: Box, frame: StageSizes, margin = 1): View {
  const [x0, y0, x1, y1] = box;
  const around = 2 * margin * Math.max(x1 - x0, y1 - y0);
  const scale = Math.min(frame.stage.width / (x1 - x0 + around), frame.stage.height / (y1 - y0 + around));
  const least = fitScale(frame);
  const most = least * mostZoom(frame);
  return clampView(viewAround([(x0 + x1) / 2, (y0 + y1) / 2], between(scale, least, most), frame), frame);
}

/** The same zoom and middle on a stage of another size. */
export function resized(view: View, before: StageSizes, after: StageSizes): View {
  const middle: Point = [view.x + view.width / 2, view.y + view.height / 2];
  const scale = between(zoomOf(view, before), 1, mostZoom(after)) * fitScale(after);
  return clampView(viewAround(middle, scale, after), after);
}

/** Whether a box is hard to judge without zooming in: its longer side takes less than a fifth of the stage's shorter. */
export function isSmall([x0, y0, x1, y1]: Box, frame: StageSizes): boolean {
  const side = Math.max(x1 - x0, y1 - y0) * fitScale(frame);
  return side < Math.min(frame.stage.width, frame.stage.height) / 5;
}
