import type { Rule } from "./example";
import { MAN_IN_HAT, TWO_DOGS } from "./scenes";
import { t } from "../t";

export const COREFERENCE_LINK: Rule = {
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

export const CHAIN_VERIFICATION: Rule = {
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
};
