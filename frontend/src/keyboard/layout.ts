/** The letters on the worker's own keyboard. */

import { useEffect, useState } from "preact/hooks";

interface Layout {
  keyboard?: { getLayoutMap: () => Promise<ReadonlyMap<string, string>> };
}

let layout: ReadonlyMap<string, string> | null = null;

/** The letter on the worker's own keyboard, where the browser tells it and it is not Latin; else the name itself. */
export function labelOf(name: string, map: ReadonlyMap<string, string> | null): string {
  if (!map || !/^[a-z]$/.test(name)) return name;
  // A Latin layout has the letter somewhere, and there it works.
  if ([...map.values()].includes(name)) return name;
  return map.get(`Key${name.toUpperCase()}`) ?? name;
}

/** The layout of the keyboard; null while it is not known, or where the browser does not tell. */
export function useLayout(): ReadonlyMap<string, string> | null {
  const [known, setKnown] = useState(layout);
  useEffect(() => {
    // Most browsers do not have it, and a page in a platform's frame may not ask.
    if (!known) void (navigator as Layout).keyboard?.getLayoutMap().then((map) => setKnown((layout = map)), () => undefined);
  }, []);
  return known;
}
