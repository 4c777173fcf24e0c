import type { Question } from "../api/types";
import { phrasesOf, PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { byAnswer, choiceTask } from "./choice";
import { MAN_IN_HAT, TWO_DOGS } from "./examples";

/** The question, with the first phrase and how many there are beside it: the list below has all of them. */
function ask(question: Question) {
  const others = phrasesOf(question.captions).length - 1;
  const a = <PhraseWords of={question} />;
  return others === 1
    ? rich("Do {a} and {b} mean the same thing in this picture?", { a, b: <PhraseWords of={question} at={1} /> })
    : rich("Do {a} and the {n} other marked phrases all mean the same thing in this picture?", { a, n: others });
}

export const CHAIN_VERIFICATION = choiceTask<"chain_verification">({
  ask,
  choices: [
    { value: "true", keys: ["1", "y"], label: t("Yes, all of them"), hint: t("every phrase means the same thing or things") },
    { value: "false", keys: ["2", "n"], label: t("No, not all"), hint: t("at least one means something else") },
  ],
  rule: {
    title: t("All the same thing?"),
    sentences: [
      t("Several captions describe one picture. Their marked phrases seem to mean the same thing."),
      t("Answer yes only if all of them mean the same thing, or exactly the same group of things."),
      t("Answer no if even one phrase means something else."),
      t("Different words can mean the same thing: let the picture decide."),
    ],
    gesture: t("Read every marked phrase to the last one. Then press Yes (1) or No (2)."),
    examples: [
      { scene: TWO_DOGS, captions: [t("*Two dogs* outside"), t("*A pair of pets*"), t("*The animals* wait")], answer: "true", why: t("All three mean both dogs.") },
      { scene: TWO_DOGS, captions: [t("*A brown dog* stands"), t("*The dog* on the left"), t("*A white dog*")], answer: "false", why: t("The last one means the other dog.") },
      { scene: MAN_IN_HAT, captions: [t("*A man* waits"), t("*The tourist*"), t("*his hat*")], answer: "false", why: t("The hat is not the man who wears it.") },
    ],
  },
  mistakes: {
    "kept stranger": t("You said yes although a phrase means something else."),
    "broke chain": t("You said no although all phrases mean the same."),
  },
  mistakeIn: byAnswer({ true: "kept stranger", false: "broke chain" }),
});
