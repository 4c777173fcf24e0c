/** Saves a sheet after each change, one request at a time, so that closing the page loses nothing. */

import { useEffect, useRef, useState } from "preact/hooks";
import { type Place, send, type Standing } from "./data";
import type { Sheet } from "./sheet";

/** Changes that follow each other quickly are saved together, in milliseconds. */
const PAUSE = 400;

export interface Saving {
  readonly standing: Standing;
  readonly saved: boolean;
  readonly problem: string;
  readonly finish: () => Promise<boolean>;
}

export function useSaving(place: Place, sheet: Sheet, first: Standing): Saving {
  const [standing, setStanding] = useState(first);
  const [saved, setSaved] = useState<Sheet>(sheet);
  const [problem, setProblem] = useState("");
  const revision = useRef(first.revision);
  const running = useRef<Promise<boolean>>(Promise.resolve(true));

  /** Send what the page has, after whatever is under way. */
  const post = (chains: Sheet, finish: boolean): Promise<boolean> => {
    running.current = running.current.then(async () => {
      try {
        const next = await send(place, chains, revision.current, finish);
        revision.current = next.revision;
        setStanding(next);
        setSaved(chains);
        setProblem("");
        return true;
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
        return false;
      }
    });
    return running.current;
  };
  useEffect(() => {
    if (sheet === saved) return;
    const later = setTimeout(() => void post(sheet, false), PAUSE);
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", stay);
    return () => {
      clearTimeout(later);
      window.removeEventListener("beforeunload", stay);
    };
  }, [sheet, saved]);
  return { standing, saved: sheet === saved, problem, finish: () => post(sheet, true) };
}
