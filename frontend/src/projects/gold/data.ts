/** What the page of one image reads and sends. */

import { useEffect, useRef, useState } from "preact/hooks";
import { request } from "../../api/client";
import { problemInWords } from "../page";
import type { Bench, Mention, WordedCaption } from "../review/data";
import type { Sheet } from "./sheet";

export interface Side {
  readonly name: string;
  readonly chains: Sheet;
}
/** What two annotators disagree on. */
export interface Dispute {
  readonly about: "phrases" | "boxes";
  readonly mentions: readonly number[];
  readonly sides: readonly Side[];
}
interface SheetStanding {
  readonly revision: number;
  readonly settles: boolean;
  readonly finished: boolean;
  /** The address of the next image that waits; null: none does. */
  readonly next: string | null;
}
export interface GoldImage extends SheetStanding {
  readonly image: Bench["image"];
  readonly captions: readonly WordedCaption[];
  readonly mentions: readonly Mention[];
  readonly chains: Sheet;
  readonly disputes: readonly Dispute[];
}
export const loadSheet = (address: string): Promise<GoldImage> => request(address);
const send = (address: string, chains: Sheet, revision: number, finish: boolean): Promise<SheetStanding> =>
  request(address, { body: { chains, revision, finish } });

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
        const next = await send(address, chains, revision.current, finish);
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
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener("beforeunload", stay);
    return () => {
      clearTimeout(later);
      window.removeEventListener("beforeunload", stay);
    };
  }, [sheet, saved]);
  return { standing, saved: sheet === saved, problem, finish: () => post(sheet, true) };
}
