import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { byAnswer, choiceTask } from "./choice";
import { BOTH_DOGS, LEFT_DOG, MAN, MAN_IN_HAT, TWO_DOGS } from "./examples";

export const BOX_QUALITY = choiceTask<"box_quality">({
  ask: (question) => rich("Is the new box good for {phrase}?", { phrase: <PhraseWords of={question} /> }),
  choices: [
    { value: "good", keys: ["1", "y"], label: t("Yes, it is good"), hint: t("tight around one whole thing that has no box yet") },
    { value: "bad", keys: ["2", "n"], label: t("No, it is bad"), hint: t("too large, too small, around the wrong thing, or a repeated box") },
  ],
  picture: t("Picture with the new box"),
  isNear: true,
  rule: {
    title: t("Is the new box good?"),
    sentences: [
      t("Good: the new box is tight around one whole thing that the marked phrase means."),
      t("Bad: it cuts something off, is too loose, or holds the wrong thing or several things that you can tell apart."),
      t("Also bad: the thing already has a dashed box."),
      t("A crowd of people you cannot tell apart gets one box."),
    ],
    gesture: t("Follow the four sides of the new box, and zoom in where they are hard to see. Then press Yes (1) or No (2)."),
    examples: [
      { scene: MAN_IN_HAT, box: MAN, captions: [t("*A man* in a red hat")], answer: "good", why: t("The box is tight and holds all of him.") },
      { scene: MAN_IN_HAT, box: [48, 20, 24, 32], captions: [t("*A man* in a red hat")], answer: "bad", why: t("The head and the legs are cut off.") },
      { scene: TWO_DOGS, box: BOTH_DOGS, captions: [t("*Two dogs* outside")], answer: "bad", why: t("Two dogs need two boxes.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], box: [14, 37, 41, 34], captions: [t("*Two dogs* outside")], answer: "bad", why: t("This dog already has a box.") },
    ],
  },
  mistakes: {
    "accepted bad": t("You called a box good that cuts something off, is too loose, or is around the wrong thing."),
    "refused good": t("You called a good box bad."),
  },
  mistakeIn: byAnswer({ good: "accepted bad", bad: "refused good" }),
});
