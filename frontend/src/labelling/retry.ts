/** Repeat calls until the server responds. */

import { Unreachable } from "../api/client";
import { listen } from "../ui/listen";

export interface Line {
  /** Wait, at most until the network is back. */
  pause: (milliseconds: number) => Promise<void>;
  /** Called with the number of calls that wait for another attempt, and the last message. */
  onTrouble: (waiting: number, message: string) => void;
}

/** The milliseconds before the next attempt: 1 s, 2 s, 4 s, ... 30 s. */
export function backoff(attempts: number): number {
  return Math.min(2 ** attempts, 30) * 1000;
}

export type KeepTrying = <T>(attempt: () => Promise<T>, wanted?: () => boolean) => Promise<T>;

/** Return a function that repeats `attempt` until the server responds, as long as the response is `wanted`. */
export function makeKeepTrying({ pause, onTrouble }: Line): KeepTrying {
  let waiting = 0;
  return async (attempt, wanted = () => true) => {
    let mine = 0;
    try {
      for (let attempts = 0; ; attempts++) {
        try {
          return await attempt();
        } catch (error) {
          if (!(error instanceof Unreachable) || !wanted()) throw error;
          waiting += 1 - mine;
          mine = 1;
          onTrouble(waiting, error.message);
          await pause(backoff(attempts));
        }
      }
    } finally {
      waiting -= mine;
      if (mine) onTrouble(waiting, "");
    }
  };
}

/** Wait in a browser. The event `online` ends the wait. */
export function pauseUntilOnline(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    const stop = listen(window, { online: done });
  });
}

export type Saver = ReturnType<typeof makeSaver>;

/** Return a saver that saves at most once per `gap` milliseconds, one call at a time. */
export function makeSaver(save: () => Promise<unknown>, gap: number, now: () => number = Date.now) {
  let dirty = false;
  let busy = false;
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Save now, if there is anything. */
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!dirty) return;
    [dirty, busy, last] = [false, true, now()];
    const done = (): void => {
      busy = false;
      schedule();
    };
    save().then(done, done);
  };
  const schedule = (): void => {
    if (dirty && !busy && timer === undefined) timer = setTimeout(flush, Math.max(0, last + gap - now()));
  };
  /** Note that there is something to save. */
  const touch = (): void => {
    dirty = true;
    schedule();
  };
  return { touch, flush, stop: () => clearTimeout(timer) };
}
