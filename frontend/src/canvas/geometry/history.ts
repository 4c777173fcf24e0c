/** Undo and redo as a value. */

export interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
}

export const newHistory = <T>(now: T): History<T> => ({ past: [], now, future: [] });

/** The history after one more change; what had been undone is forgotten. */
export function change<T>({ past, now }: History<T>, next: T): History<T> {
  return { past: [...past, now], now: next, future: [] };
}

export function undo<T>(history: History<T>): History<T> {
  const { past, now, future } = history;
  return past.length ? { past: past.slice(0, -1), now: past[past.length - 1] as T, future: [now, ...future] } : history;
}

export function redo<T>(history: History<T>): History<T> {
  const { past, now, future } = history;
  return future.length ? { past: [...past, now], now: future[0] as T, future: future.slice(1) } : history;
}
