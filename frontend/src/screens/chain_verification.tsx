import type { AnswerTo, Question } from "../api/types";
import { Answers, type Choice } from "../parts/Answers";
import { Captions, Phrase, phrasesOf, said } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { Stage } from "../canvas/Stage";
import type { ScreenProps } from "./screen";
import { rich, t } from "../t";

type Answer = AnswerTo<"chain_verification">;

export const CHOICES: readonly Choice<Answer>[] = [
  { value: "true", keys: ["1", "y"], label: t("Yes, all of them"), hint: t("every phrase means the same thing or things") },
  { value: "false", keys: ["2", "n"], label: t("No, not all"), hint: t("at least one means something else") },
];

/** The question, with the first phrase and how many there are beside it: the list below has all of them. */
function Ask({ question }: { question: Question }) {
  const others = phrasesOf(question.captions).length - 1;
  const a = <Phrase of={question} />;
  return (
    <>
      {others === 1
        ? rich("Do {a} and {b} mean the same thing in this picture?", { a, b: <Phrase of={question} at={1} /> })
        : rich("Do {a} and the {n} other marked phrases all mean the same thing in this picture?", { a, n: others })}
    </>
  );
}

export function ChainVerification({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
  return (
    <Frame
      picture={<Stage image={question.image} label={t("The picture")} boxes={question.boxes} />}
      ask={<Ask question={question} />}
    >
      <Captions {...said(question)} />
      <Answers choices={CHOICES} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
    </Frame>
  );
}
