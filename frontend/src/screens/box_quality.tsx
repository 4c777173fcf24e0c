import type { AnswerTo } from "../api/types";
import { Stage } from "../canvas/Stage";
import { Answers, type Choice } from "../parts/Answers";
import { Captions } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import type { ScreenProps } from "./screen";

type Answer = AnswerTo<"box_quality">;

const CHOICES: readonly Choice<Answer>[] = [
  { value: "good", key: "1", also: "y", label: "Yes, it is good", hint: "tight around one whole thing that has no box yet" },
  { value: "bad", key: "2", also: "n", label: "No, it is bad", hint: "too large, too small, around the wrong thing, or a repeated box" },
];

export function BoxQuality({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  const { image, boxes, captions, new_box: box } = question;
  const marked = box ? [{ box, tag: "new", look: "new" as const }] : [];
  return (
    <Frame
      picture={<Stage image={image} label="Picture with the new box" boxes={boxes} marked={marked} near={box} startNear />}
      ask="Is the new box good for the marked phrase?"
    >
      <Captions captions={captions} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
