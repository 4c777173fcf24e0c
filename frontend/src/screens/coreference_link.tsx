import type { AnswerTo } from "../api/types";
import { Answers, type Choice } from "../parts/Answers";
import { Captions, Phrase, said } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { Stage } from "../canvas/Stage";
import type { ScreenProps } from "./screen";
import { rich, t } from "../t";

type Answer = AnswerTo<"coreference_link">;

export const SAME: Choice<Answer> = { value: "same", keys: ["1", "y"], label: t("Yes, the same"), hint: t("the same thing, or exactly the same things") };
export const DIFFERENT: Choice<Answer> = { value: "different", keys: ["2", "n"], label: t("No, not the same"), hint: t("another thing, or only some of them") };

export const screenWith = (choices: readonly Choice<Answer>[]) =>
  function CoreferenceLink({ question, answer, onAnswer, disabled }: ScreenProps<Answer>) {
    return (
      <Frame
        picture={<Stage image={question.image} label={t("The picture")} boxes={question.boxes} />}
        ask={rich("Do A {a} and B {b} mean the same thing in this picture?", { a: <Phrase of={question} />, b: <Phrase of={question} at={1} /> })}
      >
        <Captions {...said(question)} pair />
        <Answers choices={choices} chosen={answer} onAnswer={onAnswer} disabled={disabled} />
      </Frame>
    );
  };

export const CHOICES = [SAME, DIFFERENT];
export const CoreferenceLink = screenWith(CHOICES);
