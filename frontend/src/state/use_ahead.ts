/** Work ahead: the next assignment while the last question is answered, and the finished one that goes out by itself. */

import { useEffect } from "preact/hooks";
import { goesByItself, isTest, leftOut, type PageState } from "./assignment";
import type { Calls } from "./calls";

/** How long a finished assignment can be taken back, in milliseconds. */
export const WAY_BACK = 5000;

/** Ask for the next assignment once only one question is open, if the worker is known to go on: see `isGoingOn`. */
export function useAhead(state: PageState, calls: Calls): void {
  const { assignment, next, phase, ended, entries, outgoing } = state;
  const token = assignment?.token ?? "";
  const wanted = phase === "asking" && !ended && !outgoing && !isTest(state) && leftOut(entries) <= 1 && isGoingOn(state);
  useEffect(() => {
    if (wanted && assignment && !next) void calls.lookAhead(assignment);
  }, [wanted, token]);
  const unbegun = next && !next.kept ? next : null;
  useEffect(() => {
    if (!unbegun) return;
    const leave = (): void => calls.dropNext(token, unbegun);
    window.addEventListener("pagehide", leave);
    return () => window.removeEventListener("pagehide", leave);
  }, [unbegun, token]);
}

/** Whether the worker asked for the next assignment before, by the setting or by going on after an earlier one. */
const isGoingOn = ({ byItself, earned }: PageState): boolean => byItself || earned.assignments > 0;

/** Send the finished assignment after WAY_BACK, or at once when the page is hidden. */
export function useSending(state: PageState, calls: Calls, submit: () => void): void {
  const { outgoing, assignment, phase, problem } = state;
  const waiting = outgoing && !outgoing.sending ? outgoing : null;
  const inView = assignment?.token ?? "";
  useLater(waiting?.assignment.token, () => waiting && void calls.sendAway(waiting, inView));
  const finished = phase === "summary" && !problem && goesByItself(state);
  useLater(finished ? inView : undefined, submit);
}

function useLater(what: string | undefined, act: () => void): void {
  useEffect(() => {
    if (what === undefined) return;
    const timer = setTimeout(act, WAY_BACK);
    const hide = (): void => {
      if (document.hidden) act();
    };
    document.addEventListener("visibilitychange", hide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", hide);
    };
  }, [what]);
}
