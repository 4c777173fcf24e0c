/** Answer suggestions by key: each button that has a key is pressed by it. */

import { isPlain, keyName } from "../../state/keys";

export function suggestions(form: HTMLFormElement): void {
  window.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (!isPlain(event) || event.repeat || target.closest("input, select, textarea")) return;
    const button = form.querySelector<HTMLButtonElement>(`[data-key="${CSS.escape(keyName(event))}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
