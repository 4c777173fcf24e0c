/** The box that a worker draws by a drag or by clicks, its history, and its confirmation. */

import { useRef, useState } from "preact/hooks";
import { around, type Box, iou, move, type Point, pull, sameBox, type Size } from "./geometry/box";
import type { Seen, View } from "./geometry/viewport";
import { beginDrag, type Drag, dragTo, type Grip, gripFor } from "./geometry/handles";
import { change, type History, newHistory, redo, undo } from "./geometry/history";
import type { PointerTool } from "./useGestures";
import { ARROWS, DRAWING } from "../keyboard/commands";
import { useCommands } from "../keyboard/controls";

/** From this IOU on, two boxes count as the same box drawn twice. */
const SAME = 0.9;

/** The number of the accepted box that this one nearly repeats; 0: none. */
function nearDuplicate(box: Box, accepted: readonly Box[]): number {
  return accepted.findIndex((other) => iou(box, other) >= SAME) + 1;
}

/** The box now; `twin`: the number of the accepted box that a warning names, 0 without a warning. */
export function useOwnBox(first: Box | null, accepted: readonly Box[], onConfirm: (box: Box) => void) {
  const [box, setBox] = useState(first);
  const [warned, setWarned] = useState<Box | null>(null);
  // A box can be drawn and confirmed before the page renders again.
  const latest = useRef(box);
  return {
    box,
    twin: box && sameBox(box, warned) ? nearDuplicate(box, accepted) : 0,
    keep: (next: Box | null) => setBox((latest.current = next)),
    confirm(): void {
      const drawn = latest.current;
      if (!drawn) return;
      if (nearDuplicate(drawn, accepted) && !sameBox(drawn, warned)) setWarned(drawn);
      else onConfirm(drawn);
    },
  };
}

/** A shorter drag, in screen pixels, is a click. */
const CLICK = 3;
/** Two clicks on the box within this time, in milliseconds, are a double-click. */
const DOUBLE = 500;

/** How a box is drawn, and whether a double-click confirms it. */
export type DrawBy = "drag" | "two clicks" | "extreme points";
export interface Way {
  readonly by: DrawBy;
  readonly doubleClick: boolean;
}

/** The clicks that make a box. */
const NEEDED: Record<DrawBy, number> = { drag: 0, "two clicks": 2, "extreme points": 4 };
const CURSORS = { n: "ns", s: "ns", e: "ew", w: "ew", nw: "nwse", se: "nwse", ne: "nesw", sw: "nesw" } as const;

/** A box, or the points of one that is not complete. */
interface State {
  readonly box: Box | null;
  readonly points: readonly Point[];
}

type Drawing = ReturnType<typeof useDrawing>;

interface Held {
  readonly drag: Drag;
  readonly far: boolean;
  readonly box: Box | null;
  readonly at: Point;
}

const isTouch = (event: PointerEvent): boolean => event.pointerType === "touch";

/** The history of a box and its points. Calls `onBox` for every change of the box. */
function useHistory(first: Box | null, onBox: (box: Box | null) => void) {
  const [history, setHistory] = useState<History<State>>(() => newHistory({ box: first, points: [] }));
  // Two quick clicks may come before the next render.
  const latest = useRef(history);
  const go = (step: (history: History<State>) => History<State>): void => {
    const before = latest.current.now.box;
    setHistory((latest.current = step(latest.current)));
    if (!sameBox(latest.current.now.box, before)) onBox(latest.current.now.box);
  };
  return { history, go, now: () => latest.current.now };
}

export function useDrawing(size: Size, first: Box | null, way: Way, onBox: (box: Box | null) => void, onConfirm: () => void) {
  const { history, go, now } = useHistory(first, onBox);
  const [pointer, setPointer] = useState<Point | null>(null);
  const [touch, setTouch] = useState(() => window.matchMedia?.("(pointer: coarse)").matches ?? false);
  const [held, setHeld] = useState<Held | null>(null);
  // Several events can arrive before the next render; each has to see the result of the one before.
  const latest = useRef<Held | null>(null);
  const clicked = useRef(0);
  const hold = (next: Held | null): void => setHeld((latest.current = next));
  const put = (state: State): void => go((before) => change(before, state));
  const set = (box: Box | null): void => {
    if (!sameBox(box, now().box) || now().points.length) put({ box, points: [] });
  };

  /** A click beside the box sets one of its points; the last one completes the box. */
  const addPoint = (at: Point): void => {
    const points = [...now().points, at];
    if (points.length < NEEDED[way.by]) return put({ box: null, points });
    const box = around(points, size);
    if (box) put({ box, points: [] });
  };
  const click = ({ drag, at }: Held): void => {
    const isSecond = performance.now() - clicked.current < DOUBLE;
    const onTheBox = drag.hold !== "new";
    clicked.current = onTheBox && !isSecond ? performance.now() : 0;
    if (onTheBox && isSecond && way.doubleClick) onConfirm();
    else if (!onTheBox && NEEDED[way.by]) addPoint(at);
  };

  const tool = (seen: Seen): PointerTool => ({
    cursor: cursorAt(history.now.box, pointer, gripFor(history.now.box, touch, seen, size)),
    begin(at, event) {
      const { box } = now();
      setTouch(isTouch(event));
      setPointer(null);
      hold({ drag: beginDrag(box, at, gripFor(box, isTouch(event), seen, size)), far: false, box, at });
    },
    drag(at) {
      if (!latest.current) return;
      const { drag, far } = latest.current;
      const isFar = far || Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) * seen.scale >= CLICK;
      // An end of the object can be sought with the finger on the picture: it is where the finger leaves.
      const seeks = drag.hold === "new" && way.by === "extreme points";
      hold({ drag, far: isFar, box: (isFar && !seeks && dragTo(drag, at, size)) || drag.box, at });
      if (seeks) setPointer(at);
    },
    end() {
      const last = latest.current;
      hold(null);
      if (!last) return;
      if (last.drag.hold === "new" && way.by === "extreme points") addPoint(last.at);
      else if (last.far) set(last.box);
      else click(last);
      if (touch) setPointer(null);
    },
    cancel: () => hold(null),
    hover(at, event) {
      setPointer(isTouch(event) ? null : at);
      if (at) setTouch(isTouch(event));
    },
  });

  return {
    /** Even in the middle of a drag. */
    box: held ? held.box : history.now.box,
    /** Those so far of a box drawn by clicks. */
    points: history.now.points,
    dragging: held?.far ?? false,
    touch,
    pointer,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    set,
    undo: () => go(undo),
    redo: () => go(redo),
    tool,
  };
}

/** The cursor that shows what a drag from here would do. */
function cursorAt(box: Box | null, at: Point | null, grip: Grip): string {
  const hold = at && beginDrag(box, at, grip).hold;
  if (!hold || hold === "new") return "crosshair";
  return hold === "inside" ? "move" : `${CURSORS[hold]}-resize`;
}

/** What arrow keys move. No modifier key selects it: some browser or desktop uses each of them. */
const PARTS = ["box", "nw", "se"] as const;
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

/**
 * Draw with the keyboard alone: add a box, move it or one of its corners, remove it, undo. `seen`: what the stage shows.
 * Returns the part that arrow keys move, and a function that selects the next part.
 */
export function useNudges(drawing: Drawing, size: Size, seen: { current: Seen }, disabled: boolean, others: Readonly<Record<"confirm" | "numbers" | "full", () => void>>) {
  const [part, setPart] = useState<BoxPart>("box");
  const next = (): void => setPart(PARTS[(PARTS.indexOf(part) + 1) % PARTS.length] ?? "box");
  const { box, dragging } = drawing;
  const move = (event: KeyboardEvent): void => {
    const [right = 0, down = 0] = ARROWS[event.key] ?? [];
    const step = stepOf(event.shiftKey ? FAR : 1, seen.current.scale);
    if (box) drawing.set(nudge(box, part, right * step, down * step, size));
  };
  const add = (): void => void (box ?? drawing.set(middleBox(seen.current.view, size)));
  const { confirm, ...always } = { ...others, add, remove: () => drawing.set(null), undo: drawing.undo, redo: drawing.redo };
  useCommands(DRAWING, disabled || dragging ? {} : { ...always, ...(box && { confirm, move, part: next }) }, "picture");
  return [part, next] as const;
}
