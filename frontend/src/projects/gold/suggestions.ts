/** Answer suggestions by key: each button that has a key is pressed by it. */

import { register } from "../../keyboard/listener";
import { switchOf } from "../keys";

export function suggestions(form: HTMLFormElement): void {
  // A key that is pressed before the next suggestion is there would answer this one again.
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => void (sent = false));
  const buttons = Array.from(form.querySelectorAll<HTMLButtonElement>("[data-key]"), (button) => [button.dataset.key ?? "", button] as const);
  const runs = Object.fromEntries(buttons.map(([key, button]) => [key, () => button.click()]));
  const commands = Object.fromEntries(buttons.map(([key, button]) => [key, { keys: [key], label: button.textContent ?? "" }]));
  const characters = switchOf(form);
  register(() => ({ commands, runs, characters: characters() }), "page");
  form.dataset.keys = "ready";
}
