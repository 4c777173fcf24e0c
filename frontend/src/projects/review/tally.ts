/** Count errors by key: the number of a kind adds one, with Shift it takes one away, and Enter goes on. */

import type { Command } from "../../keyboard/commands";
import { register, type Run } from "../../keyboard/listener";
import { switchOf } from "../keys";

export function tally(form: HTMLFormElement): void {
  const commands: Record<string, Command> = { press: { keys: ["Enter"], label: "Next" } };
  const runs: Record<string, Run> = { press: () => form.requestSubmit() };
  for (const field of form.querySelectorAll<HTMLInputElement>("[data-key]")) {
    const key = field.dataset.key ?? "";
    const label = field.labels?.[0]?.textContent ?? "";
    commands[key] = { keys: [key], label, repeats: true };
    commands[`Shift+${key}`] = { keys: [`Shift+${key}`], label, repeats: true };
    runs[key] = () => field.stepUp();
    runs[`Shift+${key}`] = () => field.stepDown();
  }
  const characters = switchOf(form);
  register(() => ({ commands, runs, characters: characters() }), "page");
  form.dataset.keys = "ready";
}
