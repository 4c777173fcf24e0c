/** Keys that work anywhere on the page. */

import { useLayoutEffect, useRef } from "preact/hooks";

export type Keys = Record<string, () => void>;

const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
const LETTER = /^Key([A-Z])$/;
const DIGIT = /^Digit([0-4])$/;

/**
 * The name of a key: the character that it types in a Latin layout, in lower case, or a name such as Enter.
 * A key that types no Latin letter, digit or sign of ours goes by its place: Cyrillic and Arabic layouts, the upper
 * row of AZERTY and of Czech keyboards. A Latin letter never does: on Dvorak the key of another letter would answer.
 */
export function keyName({ key, code, shiftKey }: KeyboardEvent): string {
  // With Shift the key of a digit types a sign in most layouts, and nobody who types one means to answer.
  const digit = shiftKey || /^[\d?#]$/.test(key) ? undefined : DIGIT.exec(code)?.[1];
  if (digit) return digit;
  if (/^[a-z\d?#+=-]$/i.test(key)) return key.toLowerCase();
  const letter = LETTER.exec(code)?.[1];
  if (letter) return letter.toLowerCase();
  return key === "؟" ? "?" : key;
}

/** Whether no modifier is held that belongs to the browser. AltGr is part of typing a sign in many layouts. */
export const isPlain = (event: KeyboardEvent): boolean =>
  !(event.ctrlKey || event.metaKey || event.altKey) ||
  (event.getModifierState("AltGraph") && /^[?#+=-]$/.test(event.key));

/** Whether a key belongs to a field, a button or a dialog, and not to the page. */
function belongsElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || !isPlain(event) || event.isComposing) return true;
  if (event.repeat || document.querySelector("dialog[open]")) return true;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest(FIELDS)) return true;
  return event.key === "Enter" && target.closest("button, a, summary") !== null;
}

/** Call the function of a key when the key is pressed, in any layout, in upper or lower case. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before painting, so that no key is lost between two questions.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const act = latest.current[keyName(event)];
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
