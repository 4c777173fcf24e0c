/** Asks again and again how something stands, as long as somebody looks at the page. */

import { Refusal } from "./client";

const LONGEST = 15_000;
/** Signed out, no member any more, deleted: asking again cannot help. */
const FINAL: readonly number[] = [401, 403, 404];

export interface Follow<T> {
  /** Milliseconds from one answer to the next question. */
  readonly every: number;
  /** Called with each answer; "ended": nothing is asked any more. */
  readonly on: (value: T) => "go on" | "ended";
  /** Called with what is wrong; null: nothing any more. */
  readonly trouble?: (error: unknown) => void;
}

export interface Followed {
  readonly stop: () => void;
  /** Ask at once. */
  readonly now: () => void;
}

/** Read something every so often. Stops where asking again cannot help, and asks less often while the service is away. */
export function follow<T>(read: (signal: AbortSignal) => Promise<T>, { every, on, trouble }: Follow<T>): Followed {
  let timer = 0;
  let failures = 0;
  let asking: AbortController | undefined;

  const rest = (): void => {
    clearTimeout(timer);
    asking?.abort();
  };
  const now = (): void => {
    rest();
    if (!document.hidden) void ask();
  };
  const stop = (): void => {
    rest();
    document.removeEventListener("visibilitychange", now);
  };
  const later = (): void => {
    const pause = Math.min(every * 2 ** Math.max(0, failures - 1), Math.max(every, LONGEST));
    if (!document.hidden) timer = window.setTimeout(() => void ask(), pause);
  };
  const failed = (error: unknown): void => {
    const final = error instanceof Refusal && FINAL.includes(error.status);
    failures += 1;
    // Once is a moment without the network, of which nobody need know.
    if (final || failures > 1) trouble?.(error);
    if (final) stop();
    else later();
  };
  async function ask(): Promise<void> {
    const { signal } = (asking = new AbortController());
    const answer = await read(signal).then((value) => ({ value }), (error: unknown) => ({ error }));
    if (signal.aborted) return;
    if ("error" in answer) return failed(answer.error);
    if (failures > 1) trouble?.(null);
    failures = 0;
    if (on(answer.value) === "ended") stop();
    else if (!signal.aborted) later();
  }

  document.addEventListener("visibilitychange", now);
  later();
  return { stop, now };
}
