import type { AnswerTo } from "../api/types";
import { Answers, type Choice } from "../parts/Answers";
import { Captions } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { Stage } from "../canvas/Stage";
import type { ScreenProps } from "./screen";

type Answer = AnswerTo<"box_requirement">;

const CHOICES: readonly Choice<Answer>[] = [
  { value: 1, key: "1", also: "y", label: "Yes, at least one", hint: "you can see it, and it has an outline" },
  { value: 2, key: "2", label: "No, it is the place", hint: "the whole scene, not a thing in it" },
  { value: 3, key: "3", also: "n", label: "No, there is nothing to box", hint: "not in the picture, or not a thing" },
];

export function BoxRequirement({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  return (
    <Frame
      picture={<Stage image={question.image} label="The picture" boxes={question.boxes} />}
      ask="Can you draw a box around what the marked phrase means?"
    >
      <Captions captions={question.captions} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
