import type { Rule, Sketch } from "./example";
import { COREFERENCE_LINK } from "./links";
import { t } from "../t";

const [SAME, PAIR, HAT] = COREFERENCE_LINK.examples as [Sketch, Sketch, Sketch];

/** The rule of links in projects that ask what is part of what, too. */
export const LINK_WITH_PARTS: Rule = {
  ...COREFERENCE_LINK,
  sentences: [
    ...COREFERENCE_LINK.sentences.slice(0, -1),
    t("If one is part of the other, say which (3 or 4). Else answer no."),
  ],
  gesture: t("Find in the picture what A means, then what B means. Then press Yes (1), No (2), A is part of B (3) or B is part of A (4)."),
  examples: [
    SAME,
    { ...PAIR, answer: "b is part of a", said: t("Answer: {answer}", { answer: t("B is part of A") }) },
    HAT,
  ],
};
