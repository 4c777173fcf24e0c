/** What the page of one image reads and sends. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Returned } from "../../api/call";
import { request } from "../../api/client";
import { listen } from "../../ui/listen";
import { problemInWords } from "../page";
import type { Sheet } from "./sheet";

export type GoldImage = Returned<"gold_annotation">;
/** What two annotators disagree on. */
export type Dispute = GoldImage["disputes"][number];
export type Side = Dispute["sides"][number];
type SheetStanding = Returned<"save_gold_annotation">;
export const loadSheet = (address: string): Promise<GoldImage> => request<"gold_annotation">(address);

/** Changes that follow each other quickly are saved together, in milliseconds. */
const PAUSE = 400;

export interface Saving {
  readonly standing: SheetStanding;
  readonly saved: boolean;
  readonly problem: string;
  readonly finish: () => Promise<boolean>;
}

export function useSaving(address: string, sheet: Sheet, first: SheetStanding): Saving {
  const [standing, setStanding] = useState(first);
  const [saved, setSaved] = useState<Sheet>(sheet);
  const [problem, setProblem] = useState("");
  const revision = useRef(first.revision);
  const running = useRef<Promise<boolean>>(Promise.resolve(true));

  /** Send what the page has, after whatever is under way. */
  const post = (chains: Sheet, finish: boolean): Promise<boolean> => {
    running.current = running.current.then(async () => {
      try {
        const next = await request<"save_gold_annotation">(address, { body: { chains, revision: revision.current, finish } });
        revision.current = next.revision;
        setStanding(next);
        setSaved(chains);
        setProblem("");
        return true;
      } catch (error) {
        setProblem(problemInWords(error, "; your changes are kept on this page."));
        return false;
      }
    });
    return running.current;
  };
  useEffect(() => {
    if (sheet === saved) return;
    const later = setTimeout(() => void post(sheet, false), PAUSE);
    const leave = listen(window, { beforeunload: (event: Event) => event.preventDefault() });
    return () => {
      clearTimeout(later);
      leave();
    };
  }, [sheet, saved]);
  return { standing, saved: sheet === saved, problem, finish: () => post(sheet, true) };
}
