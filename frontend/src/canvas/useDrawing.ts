/** The box that a worker draws: its history, and the tool that draws it. */

import { useRef, useState } from "preact/hooks";
import { type Box, type Point, sameBox, type Size } from "../geometry/box";
import { beginDrag, type Drag, dragTo } from "../geometry/drag";
import type { Grip } from "../geometry/handles";
import { begin, change, type History, redo, undo } from "../geometry/history";
import { gripFor } from "./grip";
import type { Tool } from "./useGestures";
import type { Seen } from "./useViewport";

/** A shorter drag, in screen pixels, is a click and draws nothing. */
const CLICK = 3;

const CURSORS = { n: "ns", s: "ns", e: "ew", w: "ew", nw: "nwse", se: "nwse", ne: "nesw", sw: "nesw" } as const;

export interface Drawing {
  /** The box now, even in the middle of a drag. */
  readonly box: Box | null;
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
}

const isTouch = (event: PointerEvent): boolean => event.pointerType === "touch";

/** The history of a box. Calls `onBox` for every change. */
function useHistory(first: Box | null, onBox: (box: Box | null) => void) {
  const [history, setHistory] = useState<History<Box | null>>(() => begin(first));
  const go = (next: History<Box | null>): void => {
    setHistory(next);
    if (!sameBox(next.now, history.now)) onBox(next.now);
  };
  return { history, go };
}

export function useDrawing(size: Size, first: Box | null, onBox: (box: Box | null) => void): Drawing {
  const { history, go } = useHistory(first, onBox);
  const [pointer, setPointer] = useState<Point | null>(null);
  const [touch, setTouch] = useState(() => window.matchMedia?.("(pointer: coarse)").matches ?? false);
  const [held, setHeld] = useState<Held | null>(null);
  // Several events can arrive before the next render; each has to see the result of the one before.
  const latest = useRef<Held | null>(null);
  const hold = (next: Held | null): void => setHeld((latest.current = next));
  const set = (box: Box | null): void => {
    if (!sameBox(box, history.now)) go(change(history, box));
  };

  const tool = (seen: Seen): Tool => ({
    cursor: cursorAt(history.now, pointer, gripFor(history.now, touch, seen, size)),
    begin(at, event) {
      setTouch(isTouch(event));
      setPointer(null);
      hold({ drag: beginDrag(history.now, at, gripFor(history.now, isTouch(event), seen, size)), far: false, box: history.now });
    },
    drag(at) {
      if (!latest.current) return;
      const { drag, far } = latest.current;
      const isFar = far || Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) * seen.scale >= CLICK;
      hold({ drag, far: isFar, box: (isFar && dragTo(drag, at, size)) || drag.box });
    },
    end() {
      if (latest.current) set(latest.current.box);
      hold(null);
    },
    cancel: () => hold(null),
    hover(at, event) {
      setPointer(isTouch(event) ? null : at);
      if (at) setTouch(isTouch(event));
    },
  });

  return {
    box: held ? held.box : history.now,
    dragging: held?.far ?? false,
    touch,
    pointer,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    set,
    undo: () => go(undo(history)),
    redo: () => go(redo(history)),
    tool,
  };
}

/** The cursor that shows what a drag from here would do. */
function cursorAt(box: Box | null, at: Point | null, grip: Grip): string {
  const hold = at && beginDrag(box, at, grip).hold;
  if (!hold || hold === "new") return "crosshair";
  return hold === "inside" ? "move" : `${CURSORS[hold]}-resize`;
}
