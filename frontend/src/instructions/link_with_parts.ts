import type { Rule, Sketch } from "./example";
import { COREFERENCE_LINK } from "./links";
import { THREE_MEN } from "./scenes";
import { t } from "../t";

const [SAME, PAIR, HAT] = COREFERENCE_LINK.examples as [Sketch, Sketch, Sketch];
const saying = (answer: string): string => t("Answer: {answer}", { answer });

/** The rule of links in projects that ask what is part of what, too. */
export const LINK_WITH_PARTS: Rule = {
  ...COREFERENCE_LINK,
  sentences: [
    ...COREFERENCE_LINK.sentences.slice(0, -1),
    t("If one is part of the other, some of several things or a piece of one thing, say which is the part (3 or 4). Else answer no."),
  ],
  examples: [
    SAME,
    {
      scene: THREE_MEN,
      captions: [t("*One of them* wears red"), t("*Three men* stand outside")],
      answer: "a is part of b",
      said: saying(t("A is part of B")),
      why: t("A is only one of the three men."),
    },
    { ...PAIR, answer: "b is part of a", said: saying(t("B is part of A")) },
    HAT,
  ],
  keys: [["1 2 3 4", t("answer")]],
};
