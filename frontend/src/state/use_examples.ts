import { useEffect, useState } from "preact/hooks";
import type { Example } from "../api/types";
import type { Calls } from "./calls";

export interface Examples {
  /** null while they are not loaded. */
  shown: Example[] | null;
  load: () => void;
}

/** The task's examples, loaded when the worker is about to look at them: the first question does not wait for them. */
export function useExamples(calls: Calls, wanted: boolean): Examples {
  const [shown, setShown] = useState<Example[] | null>(null);
  const load = (): void => {
    if (!shown) void calls.examples().then(setShown);
  };
  useEffect(() => {
    if (wanted) load();
  }, [wanted]);
  return { shown, load };
}
