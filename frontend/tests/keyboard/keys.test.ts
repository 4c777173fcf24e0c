import { describe, expect, it } from "vitest";
import { isPlain, keyName } from "../../src/keyboard/keys";

const key = (key: string, code: string, more: KeyboardEventInit = {}): KeyboardEvent =>
  new KeyboardEvent("keydown", { key, code, ...more });

describe("the name of a key", () => {
  it.each([
    ["AZERTY, the upper row", "&", "Digit1", "1"],
    ["AZERTY, the upper row", "é", "Digit2", "2"],
    ["AZERTY, the last digit that answers", "'", "Digit4", "4"],
    ["Czech, a sign that zooms elsewhere", "+", "Digit1", "1"],
    ["AZERTY, a sign that is not an answer there", "-", "Digit6", "-"],
    ["AZERTY, a sign typed with AltGr", "#", "Digit3", "#"],
    ["the number pad without Num Lock", "End", "Numpad1", "End"],
    ["AZERTY, z where QWERTY has w", "z", "KeyW", "z"],
    ["QWERTZ, y where QWERTY has z", "y", "KeyZ", "y"],
    ["Russian", "т", "KeyN", "n"],
    ["Russian, at y", "н", "KeyY", "y"],
    ["Arabic, at y", "غ", "KeyY", "y"],
    ["Russian with Caps Lock", "Т", "KeyN", "n"],
    ["Arabic", "ى", "KeyN", "n"],
    ["Arabic, a key that types two letters", "لا", "KeyB", "b"],
    ["Arabic digits", "٢", "Digit2", "2"],
    ["Arabic question mark", "؟", "Slash", "?"],
    ["Hebrew", "ב", "KeyC", "c"],
    ["Latin with Caps Lock", "N", "KeyN", "n"],
    ["the number pad", "2", "Numpad2", "2"],
    ["a dead key", "Dead", "KeyN", "n"],
    ["Japanese input", "Process", "KeyS", "s"],
    ["a key without a character", "Enter", "Enter", "Enter"],
  ])("on %s: %s", (_, typed, code, name) => {
    expect(keyName(key(typed, code))).toBe(name);
  });

  it("is on Dvorak that of the letter typed, not of its place: the key at N types b and says no to nobody", () => {
    expect(keyName(key("b", "KeyN"))).toBe("b");
  });

  it("is not a digit when Shift makes it a sign", () => {
    expect(keyName(key("!", "Digit1", { shiftKey: true }))).toBe("!");
    expect(keyName(key("1", "Digit1", { shiftKey: true }))).toBe("1");
  });
});

describe("a modifier", () => {
  it.each(["ctrlKey", "altKey", "metaKey"])("%s never answers", (modifier) => {
    expect(isPlain(key("1", "Digit1", { [modifier]: true }))).toBe(false);
  });

  it("AltGr types a sign on many keyboards, but no answer", () => {
    const altGr = { ctrlKey: true, altKey: true, modifierAltGraph: true };
    expect(isPlain(key("#", "Digit3", altGr))).toBe(true);
    expect(isPlain(key("1", "Digit1", altGr))).toBe(false);
  });
});
