/** Keys that work anywhere on the page. */

import { useLayoutEffect, useRef } from "preact/hooks";

export type Keys = Record<string, () => void>;

const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

/** Whether a key belongs to a field, a button or a dialog, and not to the page. */
function belongsElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  if (event.repeat || document.querySelector("dialog[open]")) return true;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest(FIELDS)) return true;
  return event.key === "Enter" && target.closest("button, a, summary") !== null;
}

/** Call the function of a key when the key is pressed, in upper or lower case. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before painting, so that no key is lost between two questions.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const act = latest.current[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!act || belongsElsewhere(event)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", press);
    return () => {
      window.removeEventListener("keydown", press);
    };
  }, []);
}
