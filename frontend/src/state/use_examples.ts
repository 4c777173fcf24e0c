import { useEffect, useState } from "preact/hooks";
import type { Example } from "../api/types";
import type { Calls } from "./calls";

/** The project's examples: null while they are not loaded, empty where it has none. They are loaded once they are wanted. */
export function useExamples(calls: Calls, wanted: boolean): Example[] | null {
  const [own, setOwn] = useState<Example[] | null>(null);
  useEffect(() => {
    if (wanted && !own) void calls.examples().then(setOwn);
  }, [wanted]);
  return own;
}
