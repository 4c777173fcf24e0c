/** The names of keys, in any layout. */

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
