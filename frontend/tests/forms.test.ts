import { describe, expect, it } from "vitest";
import { phrasesOf } from "../src/labelling/views/Captions";
import { type Atom, isForm, withForms } from "../src/tasks/atom_visual";

describe("a form of a word", () => {
  it.each<[Atom["category"], string, string[]]>([
    ["entity", "dog", ["dog", "Dogs"]],
    ["entity", "box", ["boxes"]],
    ["entity", "baby", ["babies"]],
    ["action", "ride", ["rides", "riding"]],
    ["action", "sit", ["sits", "sitting"]],
    ["action", "carry", ["carries", "carried", "carrying"]],
    ["attribute", "big", ["bigger", "biggest"]],
    ["attribute", "large", ["larger", "largest"]],
  ])("of the %s %s is seen in %s", (category, atom, words) => {
    expect(words.filter((word) => !isForm({ atom, category }, word))).toEqual([]);
  });

  it.each<[Atom["category"], string, string]>([
    ["entity", "cat", "catch"],
    ["entity", "man", "woman"],
    ["action", "paint", "painter"],
    ["entity", "paint", "painted"],
  ])("of the %s %s is not seen in %s", (category, atom, word) => {
    expect(isForm({ atom, category }, word)).toBe(false);
  });

  it("is marked wherever it stands, also after signs of two code units", () => {
    const marked = withForms({ atom: "dog", category: "entity" }, "🐕 Dogs: two dogs, no doghouse, one dog.", 3);
    expect(phrasesOf([marked]).map(({ text }) => text)).toEqual(["Dogs", "dogs", "dog"]);
    expect(marked.number).toBe(3);
  });
});
