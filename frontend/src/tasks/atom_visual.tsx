import { useMemo, useState } from "preact/hooks";
import type { AnswerTo, Caption, Question } from "../api/types";
import { type PictureLoading, Still } from "../canvas/Picture";
import { answerCommands } from "../keyboard/commands";
import { useSightOfPicture } from "../labelling/sight";
import { marked } from "../labelling/views/Captions";
import { Frame } from "../labelling/views/Frame";
import { t } from "../t";
import { Answers, byAnswer, type Choice } from "./choice";
import { CROWD, MAN_IN_HAT, pictureOf, plain, TWO_DOGS } from "./examples";
import { STREET } from "./street";
import type { ScreenProps, Sketch, TaskScreen } from "./task";

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

/** Whether `word` is a form of the atom, as far as its letters show it: "ride" in "riding", but not "man" in "men". Upper and lower case are the same. */
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

type Answer = AnswerTo<"atom_visual">;

const CHOICES: readonly Choice<Answer>[] = [
  { value: "yes", keys: ["1", "y"], label: t("Yes, it can be seen"), hint: t("a picture can show it") },
  { value: "no", keys: ["2", "n"], label: t("No"), hint: t("one can only know, think, hear or feel it") },
];

const CATEGORIES: Record<Atom["category"], string> = {
  entity: t("a person, a thing or a place"),
  action: t("something that is done or happens"),
  attribute: t("what somebody or something is like"),
};

function AtomVisual({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  const { survey, language } = question;
  if (!survey || !("atom" in survey)) return null;
  return (
    <Frame
      picture={<Examples of={survey} language={language} />}
      ask={
        <>
          {t("Can this be seen in a picture?")}
          <bdi class="atom" lang={language || undefined}>{survey.atom}</bdi>
        </>
      }
    >
      <p class="category quiet">{CATEGORIES[survey.category]}</p>
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}

/** Pictures with captions in which people used the word. Answers wait until all of them are there. */
function Examples({ of, language }: { of: Atom; language: string }) {
  const { examples } = of;
  const [loading, setLoading] = useState<readonly PictureLoading[]>(examples.map(() => "loading"));
  const captions = useMemo(() => examples.map(({ caption }, i) => withForms(of, caption, i)), [examples]);
  const report = (place: number) => (now: PictureLoading) => setLoading((all) => all.map((one, i) => (i === place ? now : one)));
  useSightOfPicture(loading.find((one) => one === "failed") ?? loading.find((one) => one === "loading") ?? "shown");
  return (
    <ol class="usages">
      {examples.map(({ image }, i) => (
        <li key={i}>
          <figure>
            <Still picture={image} label={t("Example {i} of {n}", { i: i + 1, n: examples.length })} onLoading={report(i)} />
            <figcaption lang={language || undefined} dir="auto">
              {captions[i] && marked({ caption: captions[i] })}
            </figcaption>
          </figure>
        </li>
      ))}
    </ol>
  );
}

/** A word with its examples: pictures and captions, in which it stands between asterisks. */
function atom(word: Omit<Atom, "examples">, usages: readonly (readonly [scene: string, marked: string])[], answer: "yes" | "no", why: string): Sketch {
  const examples = usages.map(([scene, marked]) => ({ image: pictureOf(scene), caption: plain(marked) }));
  return {
    scene: usages[0]?.[0] ?? "",
    captions: usages.slice(0, 1).map(([, marked]) => marked),
    survey: { ...word, examples },
    answer,
    why,
  };
}

export const ATOM_VISUAL: TaskScreen<"atom_visual"> = {
  Screen: AtomVisual,
  commands: [answerCommands(CHOICES)],
  rule: {
    title: t("Can this be seen in a picture?"),
    sentences: [
      t("You see one word, what kind of word it is, and three examples of how people used it to describe pictures."),
      t("Answer yes if a picture can show what the word means."),
      t("Answer no if one can only know, think, hear or feel it."),
      t("It is about the word: it need not be visible in every example."),
    ],
    gesture: t("Read the word and its examples. Then press Yes (1) or No (2)."),
    examples: [
      atom(
        { atom: t("red"), category: "attribute" },
        [[MAN_IN_HAT, t("A man in a *red* hat")], [STREET, t("Someone in *red* crosses the street")], [CROWD, t("Some wear *red* shirts")]],
        "yes",
        t("A colour can be seen."),
      ),
      atom(
        { atom: t("fun"), category: "entity" },
        [[TWO_DOGS, t("Two dogs are having *fun*")], [CROWD, t("The crowd has come for *fun*")], [MAN_IN_HAT, t("He wears a hat for *fun*")]],
        "no",
        t("One can guess it, but not see it."),
      ),
      atom(
        { atom: t("stand"), category: "action" },
        [[MAN_IN_HAT, t("A man *stands* in the park")], [TWO_DOGS, t("Two dogs *stand* on the grass")], [CROWD, t("Many people *stand* close together")]],
        "yes",
        t("A picture shows who stands."),
      ),
    ],
  },
  mistakes: {
    "missed visible": t("You said no to a word whose meaning can be seen."),
    "saw invisible": t("You said yes to a word whose meaning cannot be seen."),
  },
  mistakeIn: byAnswer({ yes: "saw invisible", no: "missed visible" }),
};
