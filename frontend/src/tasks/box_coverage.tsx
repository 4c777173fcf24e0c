import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { byAnswer, choiceTask } from "./choice";
import { CROWD, LEFT_DOG, PEOPLE, RIGHT_DOG, TWO_DOGS } from "./examples";

export const BOX_COVERAGE = choiceTask<"box_coverage">({
  ask: (question) => rich("Are all boxes there that {phrase} needs?", { phrase: <PhraseWords of={question} /> }),
  choices: [
    { value: "all there", keys: ["1", "y"], label: t("Yes, all there"), hint: t("everything that the phrase means has a box") },
    { value: "more needed", keys: ["2", "n"], label: t("No, more needed"), hint: t("something that the phrase means has no box") },
  ],
  picture: t("Picture with its boxes"),
  hasLetters: true,
  rule: {
    title: t("Are all boxes there?"),
    sentences: [
      t("All there: everything that the marked phrase means has a box."),
      t("More needed: something that the phrase means has no box."),
      t("Things that you can tell apart need a box each; a crowd needs one."),
      t("Other things need no box, even if they are close by."),
    ],
    gesture: t("Go from thing to thing: does each have a box? Then press Yes (1) or No (2)."),
    examples: [
      { scene: TWO_DOGS, old: [LEFT_DOG, RIGHT_DOG], captions: [t("*Two dogs* outside")], answer: "all there", why: t("Each dog has a box.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], captions: [t("*Two dogs* outside")], answer: "more needed", why: t("The white dog has no box.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], captions: [t("*A brown dog* outside")], answer: "all there", why: t("The phrase does not mean the white dog.") },
      { scene: CROWD, old: [PEOPLE], captions: [t("*A crowd* has come")], answer: "all there", why: t("One box is enough for a crowd.") },
    ],
  },
  mistakes: {
    "too few": t("You missed a thing that has no box."),
    "too many": t("You asked for more boxes although all were there."),
  },
  mistakeIn: byAnswer({ "all there": "too few", "more needed": "too many" }),
});
