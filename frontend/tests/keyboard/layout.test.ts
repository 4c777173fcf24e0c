import { describe, expect, it } from "vitest";
import { labelOf } from "../../src/keyboard/controls";

describe("the label of a key", () => {
  it("is the letter of a Cyrillic keyboard", () => {
    expect(labelOf("c", new Map([["KeyC", "с"], ["KeyS", "ы"]]))).toBe("с");
  });
  it("is the Latin letter wherever it is on the keyboard, and where the browser tells nothing", () => {
    expect(labelOf("z", new Map([["KeyZ", "w"], ["KeyW", "z"]]))).toBe("z");
    expect(labelOf("z", null)).toBe("z");
  });
  it("with a modifier is in capitals, and a sign of its own for an arrow", () => {
    expect(["Ctrl+Shift+z", "ArrowLeft", "+"].map((name) => labelOf(name, null))).toEqual(["Ctrl+Shift+Z", "←", "+"]);
  });
  it("of a digit is the digit, also where AZERTY types a sign", () => {
    expect(labelOf("1", new Map([["Digit1", "&"]]))).toBe("1");
  });
});
