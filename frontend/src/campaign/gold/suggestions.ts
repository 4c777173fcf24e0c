/** Answer suggestions by key: each button that has a key is pressed by it. */

import { isPlain, keyName } from "../../keyboard/keys";

export function suggestions(form: HTMLFormElement): void {
  // A key that is pressed before the next suggestion is there would answer this one again.
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => void (sent = false));
  window.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (!isPlain(event) || event.repeat || target.closest("input, select, textarea")) return;
    const button = form.querySelector<HTMLButtonElement>(`[data-key="${CSS.escape(keyName(event))}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
  form.dataset.keys = "ready";
}
