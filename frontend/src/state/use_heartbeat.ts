import { useEffect } from "preact/hooks";
import type { Assignment } from "../api/types";
import type { Calls } from "./calls";
import type { Watched } from "./use_watch";

const BEAT = 60_000;
const IN_USE = 5 * 60_000;

/** Extend the lease once a minute while the page is in use. */
export function useHeartbeat(held: Assignment | null, calls: Calls, watch: Watched): void {
  useEffect(() => {
    if (!held) return;
    let wanted = true;
    const beat = (): void => {
      if (Date.now() - watch.lastInput() < IN_USE) void calls.beat(held, () => wanted);
    };
    const timer = setInterval(beat, BEAT);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [held, calls, watch]);
}
