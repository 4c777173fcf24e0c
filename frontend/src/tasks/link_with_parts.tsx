import { t } from "../t";
import type { Choice } from "./choice";
import { DIFFERENT, linkTask, type PairAnswer, RULE, SAME } from "./coreference_link";
import type { Sketch } from "./task";

const PART = t("some of its things, or a piece of it");
const CHOICES: readonly Choice<PairAnswer>[] = [
  SAME,
  { ...DIFFERENT, hint: t("another thing, or only partly the same things") },
  { value: "a is part of b", keys: ["3"], label: t("A is part of B"), hint: PART },
  { value: "b is part of a", keys: ["4"], label: t("B is part of A"), hint: PART },
];
const [man, dogs, hat] = RULE.examples as [Sketch, Sketch, Sketch];

/** Links in projects that ask what is part of what, too. */
export const LINK_WITH_PARTS = linkTask(CHOICES, {
  ...RULE,
  sentences: [
    ...RULE.sentences.slice(0, -1),
    t("If one is part of the other, say which (3 or 4). Else answer no."),
  ],
  gesture: t("Find in the picture what A means, then what B means. Then press Yes (1), No (2), A is part of B (3) or B is part of A (4)."),
  examples: [man, { ...dogs, answer: "b is part of a" }, hat],
});
