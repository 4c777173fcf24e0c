import type { AnswerTo } from "../api/types";
import { Answers, type Choice } from "../parts/Answers";
import { Captions } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { Stage } from "../canvas/Stage";
import type { ScreenProps } from "./screen";

type Answer = AnswerTo<"chain_verification">;

const CHOICES: readonly Choice<Answer>[] = [
  { value: "true", key: "1", also: "y", label: "Yes, all of them", hint: "every phrase means the same thing or things" },
  { value: "false", key: "2", also: "n", label: "No, not all", hint: "at least one means something else" },
];

export function ChainVerification({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  return (
    <Frame
      picture={<Stage image={question.image} label="The picture" boxes={question.boxes} />}
      ask="Do all marked phrases mean the same thing in this picture?"
    >
      <Captions captions={question.captions} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
