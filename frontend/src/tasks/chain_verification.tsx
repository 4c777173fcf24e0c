import type { Question } from "../api/types";
import { phrasesOf, PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { choiceTask } from "./choice";

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
});
