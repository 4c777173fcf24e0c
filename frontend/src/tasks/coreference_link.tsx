import type { AnswerTo } from "../api/types";
import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { type Choice, choiceTask } from "./choice";
import { MAN_IN_HAT, TWO_DOGS } from "./examples";
import type { Rule } from "./task";

export const SAME: Choice<AnswerTo<"coreference_link">> = { value: "same", keys: ["1", "y"], label: t("Yes, the same"), hint: t("the same thing, or exactly the same things") };
export const DIFFERENT: Choice<AnswerTo<"coreference_link">> = { value: "different", keys: ["2", "n"], label: t("No, not the same"), hint: t("another thing, or only some of them") };

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

export const linkTask = (choices: readonly Choice<AnswerTo<"coreference_link">>[], rule: Rule) =>
  choiceTask<"coreference_link">({
    ask: (question) =>
      rich("Do A {a} and B {b} mean the same thing in this picture?", { a: <PhraseWords of={question} />, b: <PhraseWords of={question} at={1} /> }),
    choices,
    isPair: true,
    rule,
  });

export const COREFERENCE_LINK = linkTask([SAME, DIFFERENT], RULE);
