/** Draw with the keyboard alone: add a box, move it or one of its corners, remove it, undo. */

import { useState } from "preact/hooks";
import { type Box, move, pull, type Size } from "./geometry/box";
import type { Seen, View } from "./geometry/viewport";
import { ARROWS, DRAWING } from "../keyboard/commands";
import { useCommands } from "../keyboard/useCommands";
import type { Drawing } from "./useBoxEditor";

/** What arrow keys move. No modifier key selects it: some browser or desktop uses each of them. */
export const PARTS = ["box", "nw", "se"] as const;
export type BoxPart = (typeof PARTS)[number];

const FAR = 10;

/** The image pixels of a step given in screen pixels; at least one. */
export const stepOf = (pixels: number, scale: number): number => Math.max(1, Math.round(pixels / scale));

/** The box after one press of an arrow key. A corner stops before the box would turn inside out. */
function nudge(box: Box, part: BoxPart, dx: number, dy: number, size: Size): Box {
  if (part === "box") return move(box, dx, dy, size);
  const [x, y] = [box[2] - box[0] - 1, box[3] - box[1] - 1];
  const [right, down] = part === "nw" ? [Math.min(dx, x), Math.min(dy, y)] : [Math.max(dx, -x), Math.max(dy, -y)];
  return pull(box, part, right, down, size) ?? box;
}

/** A box in the middle of the visible part, half as wide and half as high. */
function middleBox({ x, y, width, height }: View, size: Size): Box {
  const [x0, y0] = [Math.max(0, x), Math.max(0, y)];
  const [x1, y1] = [Math.min(size.width, x + width), Math.min(size.height, y + height)];
  const [w, h] = [Math.max(1, Math.round((x1 - x0) / 2)), Math.max(1, Math.round((y1 - y0) / 2))];
  const [left, top] = [Math.floor((x0 + x1 - w) / 2), Math.floor((y0 + y1 - h) / 2)];
  return [left, top, left + w, top + h];
}

interface Options {
  readonly drawing: Drawing;
  readonly size: Size;
  readonly disabled: boolean;
  /** The visible part of the image, and its scale. */
  readonly shown: () => Seen;
  readonly onConfirm: () => void;
  readonly onNumbers: () => void;
  readonly onFull: () => void;
}

/** The part that arrow keys move, and a function that selects the next part. */
export function useNudges({ drawing, size, disabled, shown, onConfirm, onNumbers, onFull }: Options): [BoxPart, () => void] {
  const [part, setPart] = useState<BoxPart>("box");
  const next = (): void => setPart(PARTS[(PARTS.indexOf(part) + 1) % PARTS.length] ?? "box");
  const { box, dragging } = drawing;
  const move = (event: KeyboardEvent): void => {
    const [right = 0, down = 0] = ARROWS[event.key] ?? [];
    const step = stepOf(event.shiftKey ? FAR : 1, shown().scale);
    if (box) drawing.set(nudge(box, part, right * step, down * step, size));
  };
  const always = {
    add: () => void (box ?? drawing.set(middleBox(shown().view, size))),
    remove: () => drawing.set(null),
    undo: drawing.undo,
    redo: drawing.redo,
    numbers: onNumbers,
    full: onFull,
  };
  const withBox = { confirm: onConfirm, move, part: next };
  useCommands(DRAWING, disabled || dragging ? {} : { ...always, ...(box && withBox) }, "picture");
  return [part, next];
}
