import type { AnswerTo } from "../api/types";
import { Answers, type Choice } from "../parts/Answers";
import { Captions, Phrase, said } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { Stage } from "../canvas/Stage";
import type { ScreenProps } from "./screen";
import { rich, t } from "../t";

type Answer = AnswerTo<"box_requirement">;

export const CHOICES: readonly Choice<Answer>[] = [
  { value: 1, keys: ["1", "y"], label: t("Yes, at least one"), hint: t("you can see it, and it has an outline") },
  { value: 2, keys: ["2"], label: t("No, it is the place"), hint: t("the whole scene, not a thing in it") },
  { value: 3, keys: ["3", "n"], label: t("No, there is nothing to box"), hint: t("not in the picture, or not a thing") },
];

export function BoxRequirement({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  return (
    <Frame
      picture={<Stage image={question.image} label={t("The picture")} boxes={question.boxes} />}
      ask={rich("Can you draw a box around what {phrase} means?", { phrase: <Phrase of={question} /> })}
    >
      <Captions {...said(question)} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
