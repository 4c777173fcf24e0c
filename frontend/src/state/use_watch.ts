import { useEffect, useMemo } from "preact/hooks";
import { newWatch, shown, take, touched } from "./clock";

const INPUT = ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"] as const;

export interface Watched {
  /** The seconds in use since the last call. */
  take: () => number;
  lastInput: () => number;
}

/** Measure how long the page is visible and in use. */
export function useWatch(): Watched & { listen: () => () => void } {
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
    take: (): number => {
      const [seconds, started] = take(watch, Date.now());
      watch = started;
      return seconds;
    },
    lastInput: (): number => watch.lastInput,
    listen: () => {
      for (const name of INPUT) window.addEventListener(name, input, { passive: true, capture: true });
      document.addEventListener("visibilitychange", visibility);
      return () => {
        for (const name of INPUT) window.removeEventListener(name, input, { capture: true });
        document.removeEventListener("visibilitychange", visibility);
      };
    },
  };
}
