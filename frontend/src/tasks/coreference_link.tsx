import type { AnswerTo, Example, Mistake } from "../api/types";
import { PhraseWords } from "../labelling/views/Captions";
import { lateParts } from "../labelling/views/late";
import { rich, t } from "../t";
import { addLateWords } from "../words/late";
import { type Choice, choiceTask } from "./choice";
import { MAN_IN_HAT, TWO_DOGS } from "./examples";
import type { Rule, TaskScreen } from "./task";

type LinkAnswer = AnswerTo<"coreference_link">;
export type PairAnswer = Extract<LinkAnswer, string>;

export const SAME: Choice<PairAnswer> = { value: "same", keys: ["1", "y"], label: t("Yes, the same"), hint: t("the same thing, or exactly the same things") };
export const DIFFERENT: Choice<PairAnswer> = { value: "different", keys: ["2", "n"], label: t("No, not the same"), hint: t("another thing, or only some of them") };

export const RULE: Rule = {
  title: t("The same thing or not?"),
  sentences: [
    t("Two phrases are marked, A and B, sometimes in one caption of the picture."),
    t("Answer yes if both mean the same person, place or thing, or exactly the same group of them."),
    t("Different words can mean the same thing, and the same words can mean different things: let the picture decide."),
    t("Answer no if one of them means more things than the other."),
  ],
  gesture: t("Find in the picture what A means, then what B means. Then press Yes (1) or No (2)."),
  examples: [
    { scene: MAN_IN_HAT, captions: [t("*A man* looks at us"), t("*The tourist* stands still")], answer: "same", why: t("One person, described in two ways.") },
    { scene: TWO_DOGS, captions: [t("*Two dogs* on the grass"), t("*A brown dog* stands")], answer: "different", why: t("B is only one of the two dogs.") },
    { scene: MAN_IN_HAT, captions: [t("*A man* in the park"), t("He wears *a red hat*")], answer: "different", why: t("The hat belongs to the man, but is not the man.") },
  ],
};

/** What an answer to a link says about chains: a part is "different". */
const inChains = (answer: Example["answer"]) => (answer === "a is part of b" || answer === "b is part of a" ? "different" : answer);

/** A right answer to a sweep may be wrong about one of so many candidates. */
const PER_SLIP = 6;

function wrongSweep(right: readonly number[], touched: readonly number[], candidates: number): Mistake | null {
  const strangers = touched.filter((mention) => !right.includes(mention)).length;
  const missed = right.filter((mention) => !touched.includes(mention)).length;
  // Whoever could choose none of them without a mistake would not have to look.
  const looked = touched.length > 0 || missed === 0;
  if (looked && strangers + missed <= Math.floor(candidates / PER_SLIP)) return null;
  return strangers > missed ? "linked others" : "missed link";
}

export const linkTask = (choices: readonly Choice<PairAnswer>[], rule: Rule) =>
  choiceTask<"coreference_link">({
    ask: (question) =>
      rich("Do A {a} and B {b} mean the same thing in this picture?", { a: <PhraseWords of={question} />, b: <PhraseWords of={question} at={1} /> }),
    choices,
    isPair: true,
    rule,
    mistakes: {
      "linked others": t("You linked phrases that mean different things."),
      "missed link": t("You said no to phrases that mean the same."),
    },
    mistakeIn({ answer: right, sweep }, answer) {
      if (typeof answer === "object") return wrongSweep((right as typeof answer).same, answer.same, sweep?.candidates.length ?? 0);
      const given = inChains(answer);
      return given === inChains(right) ? null : given === "same" ? "linked others" : "missed link";
    },
  });

/** Few projects ask sweeps: what only they need is loaded with the page there, and else with the first sweep. */
export const SWEEPS = lateParts(() => addLateWords().then(() => import("./sweep")));
const Sweep = SWEEPS.later((chunk) => chunk.Sweep, (words) => <div class="column">{words}</div>);

const PAIR = linkTask([SAME, DIFFERENT], RULE);

export const COREFERENCE_LINK: TaskScreen<"coreference_link"> = {
  ...PAIR,
  Screen: (props) => (props.question.sweep ? <Sweep {...props} sweep={props.question.sweep} /> : <PAIR.Screen {...props} />),
};
