/** What the worker's own keyboard has on its keys. */

import { useEffect, useState } from "preact/hooks";
import { t } from "../t";

interface Layout {
  keyboard?: { getLayoutMap: () => Promise<ReadonlyMap<string, string>> };
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Backspace: t("Backspace"),
  Ctrl: t("Ctrl"),
  Delete: t("Del"),
  Escape: t("Esc"),
  Shift: t("Shift"),
  Space: t("Space"),
};

let layout: ReadonlyMap<string, string> | null = null;

/** What stands on a key. A letter is the one on the worker's own keyboard, where the browser tells it and it is not Latin. */
export function labelOf(name: string, map: ReadonlyMap<string, string> | null): string {
  const [last = "", ...modifiers] = name.split(/\+(?!$)/).reverse();
  if (modifiers.length) return [...modifiers.reverse().map((one) => NAMES[one]), labelOf(last, map).toUpperCase()].join("+");
  if (!map || !/^[a-z]$/.test(name)) return NAMES[name] ?? name;
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
