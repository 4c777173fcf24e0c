/** Keys of requesters' pages: the switch of those that type a character, in this browser, and the forms that the server draws. */

import type { Command } from "../keyboard/commands";
import { register, type KeyHandler } from "../keyboard/listener";
import { stored } from "../storage";

const NAME = "chainbox one-letter keys";

export const readCharacterKeys = (): boolean => stored((storage) => storage.getItem(NAME) !== "off", true);

/** Where this fails, the choice counts on this page. */
export const keepCharacterKeys = (on: boolean): void => stored((storage) => storage.setItem(NAME, on ? "on" : "off"), undefined);

/** Let keys act in a form, which may have the switch. */
function registerForm(form: HTMLElement, commands: Readonly<Record<string, Command>>, runs: Readonly<Record<string, KeyHandler>>): void {
  const box = form.querySelector<HTMLInputElement>("[data-one-letter-keys]");
  let characters = readCharacterKeys();
  const show = (): void => void form.classList.toggle("without-letters", !characters);
  if (box) {
    box.checked = characters;
    box.addEventListener("change", () => {
      keepCharacterKeys((characters = box.checked));
      show();
    });
  }
  show();
  register(() => ({ commands, runs, characters }), "page");
  form.dataset.keys = "ready";
}

/** Answer suggestions by key: each button that has a key is pressed by it. */
export function suggestions(form: HTMLFormElement): void {
  // A key that is pressed before the next suggestion is there would answer this one again.
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => void (sent = false));
  const buttons = Array.from(form.querySelectorAll<HTMLButtonElement>("[data-key]"), (button) => [button.dataset.key ?? "", button] as const);
  const commands = Object.fromEntries(buttons.map(([key, button]) => [key, { keys: [key], label: button.textContent ?? "" }]));
  registerForm(form, commands, Object.fromEntries(buttons.map(([key, button]) => [key, () => button.click()])));
}

/** Count errors by key: the number of a kind adds one, with Shift it takes one away, and Enter goes on. */
export function tally(form: HTMLFormElement): void {
  const commands: Record<string, Command> = { press: { keys: ["Enter"], label: "Next" } };
  const runs: Record<string, KeyHandler> = { press: () => form.requestSubmit() };
  for (const field of form.querySelectorAll<HTMLInputElement>("[data-key]"))
    for (const [key, run] of [[field.dataset.key ?? "", () => field.stepUp()], [`Shift+${field.dataset.key ?? ""}`, () => field.stepDown()]] as const) {
      commands[key] = { keys: [key], label: field.labels?.[0]?.textContent ?? "", repeats: true };
      runs[key] = run;
    }
  registerForm(form, commands, runs);
}
