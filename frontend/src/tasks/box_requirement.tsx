import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { choiceTask } from "./choice";

export const BOX_REQUIREMENT = choiceTask<"box_requirement">({
  ask: (question) => rich("Can you draw a box around what {phrase} means?", { phrase: <PhraseWords of={question} /> }),
  choices: [
    { value: 1, keys: ["1", "y"], label: t("Yes, at least one"), hint: t("you can see it, and it has an outline") },
    { value: 2, keys: ["2"], label: t("No, it is the place"), hint: t("the whole scene, not a thing in it") },
    { value: 3, keys: ["3", "n"], label: t("No, there is nothing to box"), hint: t("not in the picture, or not a thing") },
  ],
});
