import type { AnswerTo } from "../api/types";
import { useState } from "preact/hooks";
import { BoxLetters } from "../canvas/BoxLetters";
import { Stage } from "../canvas/Stage";
import { Answers, type Choice } from "../parts/Answers";
import { Captions, Phrase, said } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import type { ScreenProps } from "./screen";
import { rich, t } from "../t";

type Answer = AnswerTo<"box_coverage">;

export const CHOICES: readonly Choice<Answer>[] = [
  { value: "all there", keys: ["1", "y"], label: t("Yes, all there"), hint: t("everything that the phrase means has a box") },
  { value: "more needed", keys: ["2", "n"], label: t("No, more needed"), hint: t("something that the phrase means has no box") },
];

export function BoxCoverage({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  const { image, boxes } = question;
  const [lit, setLit] = useState(0);
  return (
    <Frame
      picture={<Stage image={image} label={t("Picture with its boxes")} boxes={boxes} lit={lit} />}
      ask={rich("Are all boxes there that {phrase} needs?", { phrase: <Phrase of={question} /> })}
    >
      <Captions {...said(question)} />
      <BoxLetters count={boxes.length} lit={lit} onLit={setLit} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
