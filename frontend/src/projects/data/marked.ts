/** The words of a caption as buttons, of which those that are pressed are one phrase. */

import { make } from "../page";

/** The first word of a phrase in its caption, and the end. */
export interface Marked {
  readonly start: number;
  readonly end: number;
}

/** The phrase after a word was pressed: it takes in a word outside, leaves out its first or last one, and ends at another. */
export function afterPress({ start, end }: Marked, word: number): Marked {
  if (start === end) return { start: word, end: word + 1 };
  if (word < start) return { start: word, end };
  if (word === start) return { start: word + 1, end };
  return { start, end: word === end - 1 ? word : word + 1 };
}

/** Show the words in the element, by mouse, touch and keyboard: arrows go from word to word. Returns what is marked then. */
export function showWords(group: HTMLElement, words: readonly string[], first: Marked, changed: (now: Marked) => void): void {
  let now = first;
  const buttons = words.map((word) => make("button", { type: "button" }, word));
  const show = (focused: number): void => {
    buttons.forEach((button, place) => {
      button.ariaPressed = String(now.start <= place && place < now.end);
      button.tabIndex = place === focused ? 0 : -1;
    });
    changed(now);
  };
  buttons.forEach((button, place) => {
    button.addEventListener("click", () => {
      now = afterPress(now, place);
      show(place);
    });
    button.addEventListener("keydown", (event) => {
      const next = { ArrowRight: place + 1, ArrowLeft: place - 1 }[event.key];
      if (next !== undefined && buttons[next]) {
        show(next);
        buttons[next].focus();
      } else if (event.key === "Enter") {
        group.closest("form")?.querySelector<HTMLButtonElement>("button.main")?.click();
      } else return;
      event.preventDefault();
    });
  });
  group.replaceChildren(...buttons);
  show(Math.max(0, now.end - 1));
  buttons[Math.max(0, now.end - 1)]?.focus();
}
