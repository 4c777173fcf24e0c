import type { AnswerTo } from "../api/types";
import { useState } from "preact/hooks";
import { BoxNumbers } from "../canvas/BoxNumbers";
import { Stage } from "../canvas/Stage";
import { Answers, type Choice } from "../parts/Answers";
import { Captions } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import type { ScreenProps } from "./screen";

type Answer = AnswerTo<"box_coverage">;

const CHOICES: readonly Choice<Answer>[] = [
  { value: "all there", key: "1", also: "y", label: "Yes, all there", hint: "everything that the phrase means has a box" },
  { value: "more needed", key: "2", also: "n", label: "No, more needed", hint: "something that the phrase means has no box" },
];

export function BoxCoverage({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  const { image, boxes, captions } = question;
  const [lit, setLit] = useState(0);
  return (
    <Frame
      picture={<Stage image={image} label="Picture with its boxes" boxes={boxes} lit={lit} />}
      ask="Are all boxes there that the marked phrase needs?"
    >
      <Captions captions={captions} />
      <BoxNumbers count={boxes.length} lit={lit} onLit={setLit} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
