/** The box that a worker draws by a drag or by clicks, its history, and its confirmation. */

import { useRef, useState } from "preact/hooks";
import { around, type Box, iou, type Point, sameBox, type Size } from "./geometry/box";
import type { Seen } from "./geometry/viewport";
import { beginDrag, type Drag, dragTo, type Grip, gripFor } from "./geometry/handles";
import { change, type History, newHistory, redo, undo } from "./geometry/history";
import type { PointerTool } from "./useGestures";

/** From this IOU on, two boxes count as the same box drawn twice. */
const SAME = 0.9;

/** The number of the accepted box that this one nearly repeats; 0: none. */
function nearDuplicate(box: Box, accepted: readonly Box[]): number {
  return accepted.findIndex((other) => iou(box, other) >= SAME) + 1;
}

interface OwnBox {
  readonly box: Box | null;
  /** The number of the box in the warning; 0: no warning. */
  readonly twin: number;
  readonly keep: (box: Box | null) => void;
  readonly confirm: () => void;
}

export function useOwnBox(first: Box | null, accepted: readonly Box[], onConfirm: (box: Box) => void): OwnBox {
  const [box, setBox] = useState(first);
  const [warned, setWarned] = useState<Box | null>(null);
  // A box can be drawn and confirmed before the page renders again.
  const latest = useRef(box);
  return {
    box,
    twin: box && sameBox(box, warned) ? nearDuplicate(box, accepted) : 0,
    keep: (next) => setBox((latest.current = next)),
    confirm() {
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

export interface Drawing {
  /** The box now, even in the middle of a drag. */
  readonly box: Box | null;
  /** The points so far of a box drawn by clicks. */
  readonly points: readonly Point[];
  readonly dragging: boolean;
  readonly touch: boolean;
  readonly pointer: Point | null;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly set: (box: Box | null) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly tool: (seen: Seen) => PointerTool;
}

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

export function useDrawing(size: Size, first: Box | null, way: Way, onBox: (box: Box | null) => void, onConfirm: () => void): Drawing {
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
    box: held ? held.box : history.now.box,
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
