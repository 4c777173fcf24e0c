import { describe, expect, it } from "vitest";
import { isCharacter, namesOf } from "../../src/keyboard/listener";

const key = (key: string, code: string, more: KeyboardEventInit = {}): KeyboardEvent =>
  new KeyboardEvent("keydown", { key, code, ...more });

describe("the name of a key", () => {
  it.each([
    ["AZERTY, the upper row", "&", "Digit1", "1"],
    ["AZERTY, the upper row", "é", "Digit2", "2"],
    ["AZERTY, a digit that picks a word", "è", "Digit7", "7"],
    ["Czech, a sign that zooms where no 1 answers", "+", "Digit1", "1 or +"],
    ["Czech, a digit that picks a word", "í", "Digit9", "9"],
    ["AZERTY, a sign that zooms where no word has the 6", "-", "Digit6", "6 or -"],
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
    expect(namesOf(key(typed, code))[0]).toBe(name.split(" or ")[0]);
    expect(namesOf(key(typed, code))).toEqual(expect.arrayContaining(name.split(" or ")));
  });

  it("is on Dvorak that of the letter typed, not of its place: the key at N types b and says no to nobody", () => {
    expect(namesOf(key("b", "KeyN"))).toEqual(["b"]);
  });

  it("is not a digit when Shift makes it a sign", () => {
    expect(namesOf(key("!", "Digit1", { shiftKey: true }))).toEqual(["Shift+1", "!"]);
    expect(namesOf(key("1", "Digit1", { shiftKey: true }))).toEqual(["Shift+1", "1"]);
  });

  it("says whether it types a character, which some workers switch off", () => {
    expect(["a", "7", "?", "Shift+1", "Enter", "ArrowLeft", "Ctrl+z"].map(isCharacter)).toEqual([true, true, true, true, false, false, false]);
  });
});

describe("a modifier", () => {
  it.each([["ctrlKey", ["Ctrl+1"]], ["altKey", []], ["metaKey", ["Ctrl+1"]]])("%s never answers", (modifier, names) => {
    expect(namesOf(key("1", "Digit1", { [modifier]: true }))).toEqual(names);
  });

  it("AltGr types a sign on many keyboards, but no answer", () => {
    const altGr = { ctrlKey: true, altKey: true, modifierAltGraph: true };
    expect(namesOf(key("#", "Digit3", altGr))).toEqual(["#"]);
    expect(namesOf(key("1", "Digit1", altGr))).toEqual([]);
  });
});
