import type { AnswerTo } from "../api/types";
import { Answers, type Choice } from "../parts/Answers";
import { Captions, Phrase, said } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { Stage } from "../canvas/Stage";
import type { ScreenProps } from "./screen";
import { rich, t } from "../t";

type Answer = AnswerTo<"coreference_link">;

const SAME_OR_NOT: readonly Choice<Answer>[] = [
  { value: "same", key: "1", also: "y", label: t("Yes, the same"), hint: t("the same thing, or exactly the same things") },
  { value: "different", key: "2", also: "n", label: t("No, not the same"), hint: t("another thing, or only some of them") },
];
const WITH_PARTS: readonly Choice<Answer>[] = [
  { value: "same", key: "1", also: "y", label: t("Yes, the same"), hint: t("the same thing, or exactly the same things") },
  { value: "different", key: "2", also: "n", label: t("No, not the same"), hint: t("another thing, or only partly the same things") },
  { value: "a is part of b", key: "3", label: t("No, A is part of B"), hint: t("some of the things of B, or a piece of it") },
  { value: "b is part of a", key: "4", label: t("No, B is part of A"), hint: t("some of the things of A, or a piece of it") },
];

const screenWith = (choices: readonly Choice<Answer>[]) =>
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

export const CoreferenceLink = screenWith(SAME_OR_NOT);
/** The screen of projects that ask what is part of what, too. */
export const CoreferenceLinkWithParts = screenWith(WITH_PARTS);
