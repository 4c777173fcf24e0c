/** Whether keys that type a character act on requesters' pages: they can be switched off in this browser. */

const NAME = "chainbox one-letter keys";

export function readCharacterKeys(): boolean {
  try {
    return localStorage.getItem(NAME) !== "off";
  } catch {
    return true; // storage is forbidden
  }
}

export function keepCharacterKeys(on: boolean): void {
  try {
    localStorage.setItem(NAME, on ? "on" : "off");
  } catch {
    // Storage is forbidden: the choice counts on this page.
  }
}
