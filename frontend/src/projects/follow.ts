/** Asks the service again and again how something stands, as long as somebody looks at the page. */

const LONGEST_MS = 15_000;

export interface Follow<T> {
  readonly every: number;
  /** Called with each answer; "ended": nothing is asked any more. */
  readonly on: (value: T) => "go on" | "ended";
  /** Called with what is wrong, in words for the page; "": nothing any more. */
  readonly trouble: (words: string) => void;
}

export interface Followed {
  readonly stop: () => void;
  /** Ask at once. */
  readonly now: () => void;
}

const SIGN_IN = "You were signed out. Sign in again, then load this page again.";
const STOPS: Readonly<Record<number, string>> = {
  401: SIGN_IN,
  403: "You may not see this any more. Ask an owner of the project.",
  404: "This is not there any more. Go back to the project.",
};

/** Ask `address` every so often. Stops where asking again cannot help, and asks less often while the service is away. */
export function follow<T>(address: string, { every, on, trouble }: Follow<T>): Followed {
  let timer = 0;
  let asking: AbortController | null = null;
  let failures = 0;

  const stop = (): void => {
    window.clearTimeout(timer);
    asking?.abort();
    document.removeEventListener("visibilitychange", now);
  };
  const later = (): void => {
    const pause = failures ? Math.min(every * 2 ** (failures - 1), Math.max(every, LONGEST_MS)) : every;
    if (!document.hidden) timer = window.setTimeout(() => void ask(), pause);
  };
  async function ask(): Promise<void> {
    const { signal } = (asking = new AbortController());
    let value: T;
    try {
      const answer = await fetch(address, { signal, headers: { Accept: "application/json" } });
      const final = answer.redirected ? SIGN_IN : STOPS[answer.status];
      if (final !== undefined) {
        stop();
        return trouble(final);
      }
      if (!answer.ok) throw new Error(String(answer.status));
      value = (await answer.json()) as T;
      if (failures > 1) trouble("");
      failures = 0;
    } catch {
      if (signal.aborted) return;
      failures += 1;
      // Once is a moment without the network, of which nobody need know.
      if (failures > 1) trouble("The service does not answer. Asking again …");
      return later();
    }
    if (on(value) === "ended") stop();
    else if (!signal.aborted) later();
  }
  function now(): void {
    window.clearTimeout(timer);
    asking?.abort();
    if (!document.hidden) void ask();
  }

  document.addEventListener("visibilitychange", now);
  later();
  return { stop, now };
}
