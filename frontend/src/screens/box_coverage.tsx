import { useState } from "preact/hooks";
import { BoxNumbers } from "../canvas/BoxNumbers";
import { Stage } from "../canvas/Stage";
import { Answers, type Choice } from "../parts/Answers";
import { Captions } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import type { ScreenProps } from "./screen";

type Verdict = "all there" | "more needed";

const CHOICES: readonly Choice<Verdict>[] = [
  { value: "all there", key: "1", also: "y", label: "Yes, all there", hint: "everything the phrase means has its box" },
  { value: "more needed", key: "2", also: "n", label: "No, more needed", hint: "something the phrase means has no box" },
];

export function BoxCoverage({ question, answer, onAnswer, disabled }: ScreenProps<Verdict>) {
  const { image, boxes, captions } = question;
  const [lit, setLit] = useState(0);
  return (
    <Frame
      picture={<Stage image={image} label="Picture with its boxes" boxes={boxes} lit={lit} />}
      ask="Are all the boxes there that the marked phrase needs?"
    >
      <Captions captions={captions} />
      <BoxNumbers count={boxes.length} lit={lit} onLit={setLit} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
