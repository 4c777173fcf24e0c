import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Assignment } from "../api/types";
import type { PageEvent, PageState } from "./assignment";
import type { Calls } from "./calls";
import { draftOf, dropOldDrafts, keepDraft, type Draft, type Where } from "./draft";
import { makeSaver, type Saver } from "./send";

const GAP = 10_000;

/** Keep every change in this browser at once, and on the server soon after or when the page is hidden. */
export function useDraft(
  place: Where,
  held: Assignment | null,
  state: PageState,
  calls: Calls,
  act: (event: PageEvent) => void,
): void {
  const draft = useRef<Draft>(draftOf(state, place, 0));
  const saver = useRef<Saver | null>(null);
  useEffect(() => dropOldDrafts(Date.now()), []);

  // Before the browser paints: the worker may close the tab right after the last keystroke.
  useLayoutEffect(() => {
    if (!held) return;
    let wanted = true;
    const mine = makeSaver(() => calls.keep(held, () => draft.current, () => wanted), GAP);
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

  const seen = useRef<unknown>(null);
  useLayoutEffect(() => {
    if (!held) return;
    draft.current = draftOf(state, place, Date.now());
    keepDraft(held.token, draft.current);
    // A draft that was just loaded is already saved.
    if (seen.current === held.token) saver.current?.touch();
    seen.current = held.token;
  }, [held, state.entries, state.index]);
}
