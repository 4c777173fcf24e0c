import { useEffect, useState } from "preact/hooks";
import type { Example } from "../api/types";
import type { Calls } from "./calls";

export interface Examples {
  /** null while they are not loaded; empty where the project has none. */
  own: Example[] | null;
}

/** The project's examples, loaded when the worker is about to try them. */
export function useExamples(calls: Calls, wanted: boolean): Examples {
  const [own, setOwn] = useState<Example[] | null>(null);
  useEffect(() => {
    if (wanted && !own) void calls.examples().then(setOwn);
  }, [wanted]);
  return { own };
}
