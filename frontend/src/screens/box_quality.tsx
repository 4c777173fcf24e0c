import type { AnswerTo } from "../api/types";
import { Stage } from "../canvas/Stage";
import { Answers, type Choice } from "../parts/Answers";
import { Captions, Phrase, said } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import type { ScreenProps } from "./screen";
import { rich, t } from "../t";

type Answer = AnswerTo<"box_quality">;

export const CHOICES: readonly Choice<Answer>[] = [
  { value: "good", keys: ["1", "y"], label: t("Yes, it is good"), hint: t("tight around one whole thing that has no box yet") },
  { value: "bad", keys: ["2", "n"], label: t("No, it is bad"), hint: t("too large, too small, around the wrong thing, or a repeated box") },
];

export function BoxQuality({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  const { image, boxes, new_box: box } = question;
  const marked = box ? [{ box, tag: t("new"), look: "new" as const }] : [];
  return (
    <Frame
      picture={<Stage image={image} label={t("Picture with the new box")} boxes={boxes} marked={marked} near={box} startNear />}
      ask={rich("Is the new box good for {phrase}?", { phrase: <Phrase of={question} /> })}
    >
      <Captions {...said(question)} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
