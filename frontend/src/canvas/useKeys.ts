/** Keys of the picture. They take precedence over those of the page: an arrow moves a box, not to another question. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { keyName } from "../keyboard/keys";

/** Handle a key by its name; true: the key was for the picture, and no other handler gets it. */
export type KeyHandler = (event: KeyboardEvent, name: string) => boolean;

const FIELDS = "input, textarea, select, [contenteditable]";
const PRESSED_BY_KEY = "button, a, summary";

/** Whether a key belongs to something else: a field, a dialog, or a button that it presses. */
export function isTaken(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(FIELDS) || document.querySelector("dialog[open]")) return true;
  return (event.key === "Enter" || event.key === " ") && target?.closest(PRESSED_BY_KEY) != null;
}

export function useKeys(handler: KeyHandler): void {
  const now = useRef(handler);
  now.current = handler;
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (isTaken(event) || !now.current(event, keyName(event))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);
}
