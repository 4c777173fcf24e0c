/** The time a worker spends on a question, and the time left of the lease. Times are in milliseconds. */

import { useEffect, useMemo } from "preact/hooks";
import type { Assignment } from "../api/types";
import type { Calls } from "./calls";
import { listen } from "../ui/listen";

/** After this time without input, the worker counts as away. */
export const IDLE = 60_000;

interface Watch {
  /** The time counted since the last `take`. */
  counted: number;
  /** The moment up to which time is counted. */
  at: number;
  lastInput: number;
  visible: boolean;
}

export const newWatch = (now: number, visible: boolean): Watch => ({ counted: 0, at: now, lastInput: now, visible });

/** Count the time up to now, while the page was visible and at most IDLE after the last input. */
function advance(watch: Watch, now: number): Watch {
  const until = Math.min(now, watch.lastInput + IDLE);
  const more = watch.visible ? Math.max(0, until - watch.at) : 0;
  return { ...watch, counted: watch.counted + more, at: now };
}

export const touched = (watch: Watch, now: number): Watch => ({ ...advance(watch, now), lastInput: now });

export const shown = (watch: Watch, visible: boolean, now: number): Watch => ({ ...advance(watch, now), visible });

/** The seconds counted, and a watch that starts again at zero. */
export function takeSeconds(watch: Watch, now: number): [seconds: number, watch: Watch] {
  const read = advance(watch, now);
  return [read.counted / 1000, { ...read, counted: 0 }];
}

/** "48 min", and under two minutes "1:05". */
export function leftInWords(seconds: number): string {
  if (seconds >= 120) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;
}

type Watched = ReturnType<typeof makeWatched>;

/** Measure how long the page is visible and in use. */
export function useWatch(): Watched {
  const watched = useMemo(makeWatched, []);
  useEffect(watched.listen, [watched]);
  return watched;
}

function makeWatched() {
  let watch = newWatch(Date.now(), !document.hidden);
  const input = (): void => {
    watch = touched(watch, Date.now());
  };
  const visibility = (): void => {
    watch = shown(watch, !document.hidden, Date.now());
  };
  return {
    /** The seconds in use since the last call. */
    take: (): number => {
      const [seconds, started] = takeSeconds(watch, Date.now());
      watch = started;
      return seconds;
    },
    lastInput: (): number => watch.lastInput,
    listen: () => {
      const stop = listen(window, { pointerdown: input, pointermove: input, keydown: input, wheel: input, touchmove: input }, { passive: true, capture: true });
      const stopToo = listen(document, { visibilitychange: visibility });
      return () => (stop(), stopToo());
    },
  };
}

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
