import type { Question, SurveyTask } from "../api/types";
import { t } from "../t";
import type { Rule, Sketch } from "./example";
import { CROWD, MAN_IN_HAT, pictureOf, STREET, TWO_DOGS } from "./scenes";

type Survey = NonNullable<Question["survey"]>;
type Atom = Extract<Survey, { atom: string }>;

const plain = (marked: string): string => marked.replaceAll("*", "");

/** The caption, with the place of each word in code points. */
function captionOf(caption: string): Survey {
  const words = Array.from(caption.matchAll(/\S+/g)).map(({ 0: word, index }): [number, number] => {
    const start = Array.from(caption.slice(0, index)).length;
    return [start, start + Array.from(word).length];
  });
  return { caption, words };
}

const correct = (scene: string, caption: string, why: string): Sketch => ({
  scene,
  captions: [caption],
  survey: captionOf(caption),
  answer: { verdict: "correct" },
  said: t("Answer: correct"),
  why,
});

/** A caption whose wrong word stands between asterisks. */
const wrong = (scene: string, marked: string, right: string, why: string): Sketch => ({
  scene,
  captions: [marked],
  survey: captionOf(plain(marked)),
  answer: { verdict: "wrong", word: (marked.split("*")[0] ?? "").split(" ").length - 1, right },
  said: t("Answer: wrong"),
  why,
});

/** A word with its examples: pictures and captions, in which it stands between asterisks. */
function atom(word: Omit<Atom, "examples">, usages: readonly (readonly [scene: string, marked: string])[], answer: "yes" | "no", why: string): Sketch {
  const examples = usages.map(([scene, marked]) => ({ image: pictureOf(scene), caption: plain(marked) }));
  return {
    scene: usages[0]?.[0] ?? "",
    captions: usages.slice(0, 1).map(([, marked]) => marked),
    survey: { ...word, examples },
    answer,
    said: answer === "yes" ? t("Answer: yes") : t("Answer: no"),
    why,
  };
}

const CAPTION_CHECK: Rule = {
  title: t("Is this caption correct?"),
  sentences: [
    t("Each caption describes its picture. In some of them one word was replaced by another, which does not fit."),
    t("Correct: every word of the caption fits the picture."),
    t("Wrong: one word does not fit. Pick this word. If you know which word would be right, type it; the field may stay empty."),
    t("A caption is not wrong because it leaves something out, or because of its spelling."),
  ],
  gesture: t("Read the caption to its last word, and find each thing in the picture. Then press Correct (1) or Wrong (2), and after Wrong the word."),
  examples: [
    wrong(TWO_DOGS, t("Two *cats* stand on the grass"), t("dogs"), t("They are dogs.")),
    correct(STREET, t("A person in a city street"), t("It says little, but all of it fits.")),
    wrong(MAN_IN_HAT, t("A man in a red *scarf*"), t("hat"), t("He wears a red hat, but no scarf.")),
    correct(CROWD, plain(t("Many people *stand* close together")), t("Every word fits.")),
  ],
};

const ATOM_VISUAL: Rule = {
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
};

/** The rules of the surveys. */
export const SURVEY_RULES: Record<SurveyTask, Rule> = {
  caption_check: CAPTION_CHECK,
  atom_visual: ATOM_VISUAL,
};
