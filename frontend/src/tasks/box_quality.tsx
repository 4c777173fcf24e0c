import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { choiceTask } from "./choice";

export const BOX_QUALITY = choiceTask<"box_quality">({
  ask: (question) => rich("Is the new box good for {phrase}?", { phrase: <PhraseWords of={question} /> }),
  choices: [
    { value: "good", keys: ["1", "y"], label: t("Yes, it is good"), hint: t("tight around one whole thing that has no box yet") },
    { value: "bad", keys: ["2", "n"], label: t("No, it is bad"), hint: t("too large, too small, around the wrong thing, or a repeated box") },
  ],
  picture: t("Picture with the new box"),
  isNear: true,
});
