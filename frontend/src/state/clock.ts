/** The time a worker spends on a question, and the time left of the lease. Times are in milliseconds. */

/** After this time without input, the worker counts as away. */
export const IDLE = 60_000;

export interface Watch {
  /** The time counted since the last `take`. */
  counted: number;
  /** The moment up to which time is counted. */
  at: number;
  lastInput: number;
  visible: boolean;
}

export const newWatch = (now: number, visible: boolean): Watch => ({ counted: 0, at: now, lastInput: now, visible });

/** Count the time up to now, while the page was visible and at most IDLE after the last input. */
export function advance(watch: Watch, now: number): Watch {
  const until = Math.min(now, watch.lastInput + IDLE);
  const more = watch.visible ? Math.max(0, until - watch.at) : 0;
  return { ...watch, counted: watch.counted + more, at: now };
}

export const touched = (watch: Watch, now: number): Watch => ({ ...advance(watch, now), lastInput: now });

export const shown = (watch: Watch, visible: boolean, now: number): Watch => ({ ...advance(watch, now), visible });

/** The seconds counted, and a watch that starts again at zero. */
export function take(watch: Watch, now: number): [seconds: number, watch: Watch] {
  const read = advance(watch, now);
  return [read.counted / 1000, { ...read, counted: 0 }];
}

/** "48 min", and under two minutes "1:05". */
export function leftInWords(seconds: number): string {
  if (seconds >= 120) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;
}
