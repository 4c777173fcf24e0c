/** The one listener for the keys of a page: the names of keys in any layout, and the rule of which keys are for it. */

import type { Command, Commands, Layer } from "./commands";

const LETTER = /^Key([A-Z])$/;
const DIGIT = /^Digit(\d)$/;
/** Signs that some layout types with AltGr. */
const SIGN = /^[?#+=-]$/;

/** The name of a key by what it types: a Latin letter or digit, one of our signs, or a name such as Enter. */
function typed({ key, code }: KeyboardEvent): string {
  if (/^[a-z\d?#+=-]$/i.test(key)) return key.toLowerCase();
  const letter = LETTER.exec(code)?.[1];
  if (letter) return letter.toLowerCase();
  return key === "؟" ? "?" : key;
}

/**
 * The names of a pressed key; the first that the page has a command for is meant.
 * A key that types no Latin letter, digit or sign of ours goes by its place: Cyrillic and Arabic layouts. So do digits,
 * in the upper row of AZERTY and of Czech keyboards, before the sign that they type there. A Latin letter never does: on
 * Dvorak the key of another letter would answer.
 */
export function namesOf(event: KeyboardEvent): string[] {
  const { key, code, shiftKey, ctrlKey, metaKey, altKey } = event;
  const name = typed(event);
  // AltGr is part of typing a sign in many layouts.
  if (event.getModifierState("AltGraph")) return SIGN.test(key) ? [name] : [];
  if (altKey) return [];
  if (ctrlKey || metaKey) return [`Ctrl+${shiftKey ? "Shift+" : ""}${name}`];
  const digit = DIGIT.exec(code)?.[1];
  if (digit === undefined || /^[?#]$/.test(key)) return [name];
  // With Shift the key of a digit types a sign in most layouts, and nobody who types one means to answer.
  return [...new Set([shiftKey ? `Shift+${digit}` : /^\d$/.test(key) ? name : digit, name])];
}

/** Whether a key types a character: workers who speak to their computer press such keys without meaning to. */
export const isCharacter = (name: string): boolean => /^(Shift\+)?.$/u.test(name);

const FIELDS = "input,textarea,select,[contenteditable]";
/** What takes no letters or digits: those are for the page, so that "10" picks the tenth word and zooms nothing. */
const CHOICES = "input:is([type=radio], [type=checkbox])";
const PRESSED = "[role=button],button,a,summary";

/** Whether a key is for a command, and not for a field, a button, a dialog, or the software that people type with. */
export function mayAct(event: KeyboardEvent, name: string, { repeats }: Command, layer: Layer, characters: boolean): boolean {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return false;
  if ((event.repeat && !repeats) || (!characters && isCharacter(name))) return false;
  const target = event.target instanceof Element ? event.target : document.body;
  const field = target.closest(FIELDS);
  // Escape leaves a field as it leaves everything else.
  if (field && name !== "Escape" && (layer === "picture" || !field.matches(CHOICES))) return false;
  if (field && /^(Arrow|Enter)/.test(name)) return false;
  return !((name === "Enter" || name === " ") && target.closest(PRESSED));
}

/** What a command does; false: the key is not for it after all. */
export type KeyHandler = (event: KeyboardEvent) => unknown;

/** Commands of a part of the page, as they are now. */
interface KeyPart {
  readonly commands: Commands;
  /** null: not now. Commands without any belong to another part of the page. */
  readonly runs: Readonly<Record<string, KeyHandler | null | undefined>>;
  /** Whether keys that type a character act. */
  readonly characters: boolean;
}

const LAYERS: readonly Layer[] = ["picture", "page"];
const parts: [layer: Layer, part: () => KeyPart][] = [];

/** The commands of the page in a layer, each with what it does now. */
export const commandsNow = (layer: Layer) =>
  parts
    .filter(([own]) => own === layer)
    .flatMap(([, part]) => {
      const { commands, runs, characters } = part();
      return Object.entries(commands).map(([name, command]) => ({ name, command, run: runs[name], layer, characters }));
    })
    .filter(({ run }) => run !== undefined);

function listen(event: KeyboardEvent): void {
  for (const key of namesOf(event)) {
    const meant = LAYERS.flatMap(commandsNow).filter(({ command }) => command.keys.includes(key));
    for (const { command, run, layer, characters } of meant)
      if (run && mayAct(event, key, command, layer, characters) && run(event) !== false) return event.preventDefault();
    // A digit that answers nothing now is not the sign of its key.
    if (meant.length) return;
  }
}

/** Let the keys of a part act until the function that this returns is called. */
export function register(part: () => KeyPart, layer: Layer): () => void {
  // Before all others: no element takes a key away that the page has a command for.
  if (!parts.length) window.addEventListener("keydown", listen, true);
  const one: (typeof parts)[number] = [layer, part];
  parts.push(one);
  return () => {
    parts.splice(parts.indexOf(one), 1);
    if (!parts.length) window.removeEventListener("keydown", listen, true);
  };
}
