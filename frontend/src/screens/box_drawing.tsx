import { useContext } from "preact/hooks";
import type { AnswerTo, Question } from "../api/types";
import { Choice } from "../canvas/Choice";
import { DrawBox, GESTURES } from "../canvas/DrawBox";
import { useOwnBox } from "../canvas/useOwnBox";
import type { Box } from "../geometry/box";
import { letterOf } from "../geometry/tags";
import { Captions, Phrase, said } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { type Commands, DRAWING } from "../keyboard/commands";
import { useCommands } from "../keyboard/useCommands";
import { WayContext } from "../state/preferences";
import type { ScreenProps } from "./screen";
import { rich, t } from "../t";

type Drawing = AnswerTo<"box_drawing">;

const given = (box: Box): Drawing => ({ box: [...box] });

export const NOTHING = { nothing: { keys: ["n"], label: t("No box is missing") } } as const satisfies Commands;

/** The task, for one phrase. */
function Ask({ question }: { question: Question }) {
  const phrase = <Phrase of={question} />;
  if (question.boxes.length === 0) return <>{rich("Draw one box for {phrase}", { phrase })}</>;
  return <>{rich("Draw one more box for {phrase}, if one is missing", { phrase })}</>;
}

export function BoxDrawing({ question, answer, onAnswer, onChange, disabled, shown, compared = [] }: ScreenProps<Drawing>) {
  const { image, boxes } = question;
  const { by } = useContext(WayContext);
  const first = answer && "box" in answer ? answer.box : null;
  const { box, twin, keep, confirm } = useOwnBox(first, boxes, (own) => onAnswer(given(own)));
  const noneMissing = (): void => onAnswer({ none_missing: true });
  const changed = (next: Box | null): void => {
    keep(next);
    onChange(next && given(next));
  };
  useCommands(NOTHING, { nothing: disabled ? null : noneMissing });

  const picture = (
    <DrawBox label={t("Picture to draw on")} onBox={changed} onConfirm={confirm} boxes={[...boxes, ...compared]} {...{ image, first, disabled }} />
  );
  const nothing = boxes.length > 0 ? NOTHING.nothing.label : t("There is nothing to draw");
  const isBox = shown && first ? { pressed: true, disabled: true } : { disabled: !box };
  const isNothing = answer !== null && "none_missing" in answer;
  return (
    <Frame picture={picture} ask={<Ask question={question} />}>
      <Captions {...said(question)} />
      {by !== "drag" && !shown && <p class="gesture">{GESTURES[by]}</p>}
      <p class="twin" role="status">
        {twin > 0 && t("Your box is nearly the same as box {letter}. If it is around something else, confirm it once more.", { letter: letterOf(twin) })}
      </p>
      <div class="answers" role="group" aria-label={t("Your answer")}>
        <Choice value="box" keys={DRAWING.confirm.keys[0]} label={t("This is my box")} {...isBox} onPress={confirm} />
        <Choice
          value="none_missing"
          keys={NOTHING.nothing.keys[0]}
          label={nothing}
          pressed={isNothing}
          disabled={disabled}
          onPress={noneMissing}
        />
      </div>
    </Frame>
  );
}
