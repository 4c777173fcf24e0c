import type { AnswerTo } from "../api/types";
import { DIFFERENT, SAME, screenWith } from "./coreference_link";
import type { Choice } from "../parts/Answers";
import { t } from "../t";

const PART = t("some of its things, or a piece of it");

export const CHOICES: readonly Choice<AnswerTo<"coreference_link">>[] = [
  SAME,
  { ...DIFFERENT, hint: t("another thing, or only partly the same things") },
  { value: "a is part of b", keys: ["3"], label: t("A is part of B"), hint: PART },
  { value: "b is part of a", keys: ["4"], label: t("B is part of A"), hint: PART },
];

/** The screen of links in projects that ask what is part of what, too. */
export const LinkWithParts = screenWith(CHOICES);
