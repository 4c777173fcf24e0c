/** The worker's box between drawing and confirming. A box that nearly repeats another must be confirmed twice. */

import { useRef, useState } from "preact/hooks";
import { type Box, iou, sameBox } from "../geometry/box";

/** From this IOU on, two boxes count as the same box drawn twice. */
const SAME = 0.9;

/** The number of the accepted box that this one nearly repeats; 0: none. */
export function twinOf(box: Box, accepted: readonly Box[]): number {
  return accepted.findIndex((other) => iou(box, other) >= SAME) + 1;
}

export interface OwnBox {
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
    twin: box && sameBox(box, warned) ? twinOf(box, accepted) : 0,
    keep: (next) => setBox((latest.current = next)),
    confirm() {
      const drawn = latest.current;
      if (!drawn) return;
      if (twinOf(drawn, accepted) && !sameBox(drawn, warned)) setWarned(drawn);
      else onConfirm(drawn);
    },
  };
}
