import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { choiceTask } from "./choice";

export const BOX_COVERAGE = choiceTask<"box_coverage">({
  ask: (question) => rich("Are all boxes there that {phrase} needs?", { phrase: <PhraseWords of={question} /> }),
  choices: [
    { value: "all there", keys: ["1", "y"], label: t("Yes, all there"), hint: t("everything that the phrase means has a box") },
    { value: "more needed", keys: ["2", "n"], label: t("No, more needed"), hint: t("something that the phrase means has no box") },
  ],
  picture: t("Picture with its boxes"),
  hasLetters: true,
});
