/** The box that a worker draws: its history, and the tool that draws it by a drag or by clicks. */

import { useRef, useState } from "preact/hooks";
import { type Box, type Point, sameBox, type Size } from "../geometry/box";
import { beginDrag, type Drag, dragTo } from "../geometry/drag";
import type { Grip } from "../geometry/handles";
import { begin, change, type History, redo, undo } from "../geometry/history";
import { around } from "../geometry/points";
import type { DrawBy, Way } from "../state/preferences";
import { gripFor } from "./grip";
import type { Tool } from "./useGestures";
import type { Seen } from "./useViewport";

/** A shorter drag, in screen pixels, is a click. */
const CLICK = 3;
/** Two clicks on the box within this time, in milliseconds, are a double-click. */
const DOUBLE = 500;

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
  readonly tool: (seen: Seen) => Tool;
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
  const [history, setHistory] = useState<History<State>>(() => begin({ box: first, points: [] }));
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

  const tool = (seen: Seen): Tool => ({
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
