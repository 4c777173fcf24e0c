/** Keys of requesters' pages that type a character can be switched off in this browser. */

import { useState } from "preact/hooks";
import { keepCharacterKeys, readCharacterKeys } from "../ui/character_keys";

export function useCharacterKeys(): [boolean, (on: boolean) => void] {
  const [on, set] = useState(readCharacterKeys);
  return [on, (next) => (keepCharacterKeys(next), set(next))];
}

/** The switch of a page that the server draws. Returns whether the keys act. */
export function switchOf(form: HTMLElement): () => boolean {
  const box = form.querySelector<HTMLInputElement>("[data-one-letter-keys]");
  let on = readCharacterKeys();
  const show = (): void => void form.classList.toggle("without-letters", !on);
  if (box) {
    box.checked = on;
    box.addEventListener("change", () => {
      keepCharacterKeys((on = box.checked));
      show();
    });
  }
  show();
  return () => on;
}
