/** Keys of the picture. They come before the page's own, so that an arrow moves a box instead of turning the page. */

import { useLayoutEffect, useRef } from "preact/hooks";

/** Handles a key; true: it was meant for the picture, nobody else gets it. */
export type KeyHandler = (event: KeyboardEvent) => boolean;

const FIELDS = "input, textarea, select, [contenteditable]";
const PRESSED_BY_KEY = "button, a, summary";

/** Whether a key is meant for something else: a field, a dialog, or a button that it presses. */
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
      if (isTaken(event) || !now.current(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);
}

export const isPlain = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey;
