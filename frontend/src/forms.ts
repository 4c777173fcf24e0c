/** The forms of a word, as far as its letters show them: "ride" in "riding", but not "man" in "men". */

import type { Caption, Question } from "./api/types";

export type Atom = Extract<NonNullable<Question["survey"]>, { atom: string }>;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** What English adds to a word of each category. */
const ENDINGS: Record<Atom["category"], readonly string[]> = {
  entity: ["s", "es"],
  action: ["s", "es", "d", "ed", "n", "en", "ing"],
  attribute: ["r", "er", "st", "est"],
};

/** The letters before an ending: all, without a final e, with i for a final y, with the last letter doubled. */
function stemsOf(atom: string): string[] {
  return [atom, atom.replace(/e$/, ""), atom.replace(/y$/, "i"), atom + (atom.at(-1) ?? "")];
}

/** Whether `word` is a form of the atom. Upper and lower case are the same. */
export function isForm({ atom, category }: Pick<Atom, "atom" | "category">, word: string): boolean {
  const [base, said] = [atom.toLowerCase(), word.toLowerCase()];
  return said === base || stemsOf(base).some((stem) => ENDINGS[category].some((ending) => said === stem + ending));
}

/** The caption with the forms of the atom as its phrases. */
export function withForms(atom: Pick<Atom, "atom" | "category">, text: string, number: number): Caption {
  const phrases = Array.from(text.matchAll(WORD))
    .filter(([word]) => isForm(atom, word))
    .map(({ 0: word, index }, mention) => {
      const start = Array.from(text.slice(0, index)).length;
      return { mention, start, end: start + Array.from(word).length };
    });
  return { number, text, phrases };
}
