import { useEffect } from "preact/hooks";
import type { Assignment } from "../api/types";
import type { Calls } from "./calls";
import type { Watched } from "./use_watch";

const BEAT = 60_000;
const IN_USE = 5 * 60_000;

/**
 * Extend the lease once a minute while the page is in use. `lastLease`: when the server last told how long it runs; a
 * saved draft extends it as well.
 */
export function useHeartbeat(held: Assignment | null, calls: Calls, watch: Watched, lastLease: () => number): void {
  useEffect(() => {
    if (!held) return;
    let wanted = true;
    const beat = (): void => {
      const now = Date.now();
      if (now - watch.lastInput() < IN_USE && now - lastLease() > BEAT / 2) void calls.beat(held, () => wanted);
    };
    const timer = setInterval(beat, BEAT);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [held, calls, watch, lastLease]);
}
