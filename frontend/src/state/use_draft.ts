import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Assignment } from "../api/types";
import type { PageEvent, PageState } from "./assignment";
import type { Calls } from "./calls";
import { draftOf, dropOldDrafts, enteredIn, keepDraft, type Draft, type Where } from "./draft";
import { makeSaver, type Saver } from "./send";

const GAP = 10_000;

/**
 * Keep every change in this browser at once, and on the server soon after or when the page is hidden. The server is not
 * sent a draft in which only the time spent or the current question differs.
 */
export function useDraft(
  place: Where,
  held: Assignment | null,
  state: PageState,
  calls: Calls,
  act: (event: PageEvent) => void,
): void {
  const draft = useRef<Draft>(draftOf(state, place, 0));
  const saver = useRef<Saver | null>(null);
  const sent = useRef("");
  useEffect(() => dropOldDrafts(Date.now()), []);

  // Before the browser paints: the worker may close the tab right after the last keystroke.
  useLayoutEffect(() => {
    if (!held) return;
    let wanted = true;
    const save = (): Promise<void> => {
      const current = (): Draft => {
        sent.current = enteredIn(draft.current.entries);
        return draft.current;
      };
      return calls.keep(held, current, () => wanted);
    };
    const mine = makeSaver(save, GAP);
    saver.current = mine;
    const hide = (): void => {
      act({ type: "pause" });
      if (document.hidden) mine.flush();
    };
    document.addEventListener("visibilitychange", hide);
    return () => {
      wanted = false;
      mine.stop();
      saver.current = null;
      document.removeEventListener("visibilitychange", hide);
    };
  }, [held, calls, act]);

  const { outgoing } = state;
  useLayoutEffect(() => {
    if (outgoing) keepDraft(outgoing.assignment.token, draftOf({ index: outgoing.entries.length, entries: outgoing.entries }, place, Date.now()));
  }, [outgoing?.assignment]);

  const seen = useRef<unknown>(null);
  useLayoutEffect(() => {
    if (!held) return;
    draft.current = draftOf(state, place, Date.now());
    keepDraft(held.token, draft.current);
    const entered = enteredIn(state.entries);
    // A draft that was just loaded is already saved.
    if (seen.current !== held.token) sent.current = entered;
    else if (sent.current !== entered) saver.current?.touch();
    seen.current = held.token;
  }, [held, state.entries, state.index]);
}
