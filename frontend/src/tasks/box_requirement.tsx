import { PhraseWords } from "../labelling/views/Captions";
import { rich, t } from "../t";
import { choiceTask } from "./choice";
import { MAN_IN_HAT, TWO_DOGS } from "./examples";
import { STREET } from "./street";

export const BOX_REQUIREMENT = choiceTask<"box_requirement">({
  ask: (question) => rich("Can you draw a box around what {phrase} means?", { phrase: <PhraseWords of={question} /> }),
  choices: [
    { value: 1, keys: ["1", "y"], label: t("Yes, at least one"), hint: t("you can see it, and it has an outline") },
    { value: 2, keys: ["2"], label: t("No, it is the place"), hint: t("the whole scene, not a thing in it") },
    { value: 3, keys: ["3", "n"], label: t("No, there is nothing to box"), hint: t("not in the picture, or not a thing") },
  ],
  rule: {
    title: t("Is there something to draw a box around?"),
    sentences: [
      t("Answer 1 if you can see at least one thing that the phrase means, and it has an outline: a person, an animal, an object."),
      t("Answer 2 if the phrase means the scene or place as a whole."),
      t("Answer 3 if the picture does not show what the phrase means, or if it is an action or something you cannot touch."),
    ],
    gesture: t("Look for the thing in the picture. Then press one of the three answers (1, 2, 3)."),
    examples: [
      { scene: MAN_IN_HAT, box: [48, 5, 24, 13], captions: [t("A man in *a red hat*")], answer: 1, why: t("You can see it, and a box fits around it.") },
      { scene: STREET, captions: [t("A woman crosses *a city street*")], answer: 2, why: t("It is the place where everything happens.") },
      { scene: MAN_IN_HAT, captions: [t("A man poses for *the camera*")], answer: 3, why: t("The camera is not in the picture.") },
      { scene: TWO_DOGS, captions: [t("Two dogs wait for *some fun*")], answer: 3, why: t("You cannot draw a box around fun.") },
    ],
  },
  mistakes: {
    "box for nothing": t("You saw something to box where there is nothing to box."),
    "missed thing": t("You missed a thing that a box fits around."),
    "place mixed up": t("You mixed up a place (2) with nothing to box (3)."),
  },
  mistakeIn: ({ answer: right }, answer) => {
    if (answer === right) return null;
    return answer === 1 ? "box for nothing" : right === 1 ? "missed thing" : "place mixed up";
  },
});
