import type { AnswerTo } from "../api/types";
import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { type Choice, choiceTask } from "./choice";
import type { Rule } from "./task";

export const SAME: Choice<AnswerTo<"coreference_link">> = { value: "same", keys: ["1", "y"], label: t("Yes, the same"), hint: t("the same thing, or exactly the same things") };
export const DIFFERENT: Choice<AnswerTo<"coreference_link">> = { value: "different", keys: ["2", "n"], label: t("No, not the same"), hint: t("another thing, or only some of them") };

export const linkTask = (choices: readonly Choice<AnswerTo<"coreference_link">>[], rule?: Rule) =>
  choiceTask<"coreference_link">({
    ask: (question) =>
      rich("Do A {a} and B {b} mean the same thing in this picture?", { a: <PhraseWords of={question} />, b: <PhraseWords of={question} at={1} /> }),
    choices,
    isPair: true,
    ...(rule && { rule }),
  });

export const COREFERENCE_LINK = linkTask([SAME, DIFFERENT]);
