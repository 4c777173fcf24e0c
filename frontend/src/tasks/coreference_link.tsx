import type { AnswerTo } from "../api/types";
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

export const linkTask = (choices: readonly Choice<PairAnswer>[], rule: Rule) =>
  choiceTask<"coreference_link">({
    ask: (question) =>
      rich("Do A {a} and B {b} mean the same thing in this picture?", { a: <PhraseWords of={question} />, b: <PhraseWords of={question} at={1} /> }),
    choices,
    isPair: true,
    rule,
  });

/** Few projects ask sweeps: what only they need is loaded with the page there, and else with the first sweep. */
export const SWEEPS = lateParts(() => addLateWords().then(() => import("../with_sweeps")));
const Sweep = SWEEPS.later((chunk) => chunk.Sweep, { failed: (words) => <div class="column">{words}</div> });


const PAIR = linkTask([SAME, DIFFERENT], RULE);

export const COREFERENCE_LINK: TaskScreen<"coreference_link"> = {
  ...PAIR,
  Screen: (props) => (props.question.sweep ? <Sweep {...props} sweep={props.question.sweep} /> : <PAIR.Screen {...props} />),
};
