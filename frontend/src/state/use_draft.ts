import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Assignment } from "../api/types";
import type { Happening, Sitting } from "./assignment";
import type { Calls } from "./calls";
import { draftOf, dropOldDrafts, keepDraft, type Draft, type Where } from "./draft";
import { makeSaver, type Saver } from "./send";

const GAP = 10_000;

/** Keeps every change in this browser at once, and on the server soon after or when the page is hidden. */
export function useDraft(
  place: Where,
  held: Assignment | null,
  sitting: Sitting,
  calls: Calls,
  act: (happening: Happening) => void,
): void {
  const draft = useRef<Draft>(draftOf(sitting, place, 0));
  const saver = useRef<Saver | null>(null);
  useEffect(() => dropOldDrafts(Date.now()), []);

  // Before the browser paints: a tab may be closed right after the last stroke.
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
    draft.current = draftOf(sitting, place, Date.now());
    keepDraft(held.token, draft.current);
    // What has just been loaded is saved already.
    if (seen.current === held.token) saver.current?.touch();
    seen.current = held.token;
  }, [held, sitting.entries, sitting.index]);
}
