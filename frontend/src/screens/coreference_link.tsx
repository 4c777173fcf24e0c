import type { AnswerTo } from "../api/types";
import { Answers, type Choice } from "../parts/Answers";
import { Captions } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { Stage } from "../canvas/Stage";
import type { ScreenProps } from "./screen";

type Answer = AnswerTo<"coreference_link">;

const CHOICES: readonly Choice<Answer>[] = [
  { value: "same", key: "1", also: "y", label: "Yes, the same", hint: "the same thing, or exactly the same things" },
  { value: "different", key: "2", also: "n", label: "No, not the same", hint: "another thing, or only some of them" },
];

export function CoreferenceLink({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  return (
    <Frame
      picture={<Stage image={question.image} label="The picture" boxes={question.boxes} />}
      ask="Do A and B mean the same thing in this picture?"
    >
      <Captions captions={question.captions} pair />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
