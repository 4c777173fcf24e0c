import { useContext } from "preact/hooks";
import type { AnswerTo, Question } from "../api/types";
import { DrawBox, GESTURES } from "../canvas/DrawBox";
import type { Box } from "../canvas/geometry/box";
import { letterOf } from "../canvas/geometry/labels";
import { useOwnBox } from "../canvas/useBoxEditor";
import { type Commands, DRAWING, NEAR, ZOOM } from "../keyboard/commands";
import { useCommands } from "../keyboard/useCommands";
import { WayContext } from "../labelling/preferences";
import { usePictureInSight } from "../labelling/sight";
import { Captions, captionsOf, PhraseWords } from "../labelling/views/Captions";
import { Frame } from "../labelling/views/Frame";
import { Late } from "../labelling/views/late";
import { rich, t } from "../t";
import { AnswerButton } from "./choice";
import type { ScreenProps, TaskScreen } from "./task";

type Drawing = AnswerTo<"box_drawing">;

const given = (box: Box): Drawing => ({ box: [...box] });

const NOTHING = { nothing: { keys: ["n"], label: t("No box is missing") } } as const satisfies Commands;

/** The task, for one phrase. */
function Ask({ question }: { question: Question }) {
  const phrase = <PhraseWords of={question} />;
  if (question.boxes.length === 0) return <>{rich("Draw one box for {phrase}", { phrase })}</>;
  return <>{rich("Draw one more box for {phrase}, if one is missing", { phrase })}</>;
}

function BoxDrawing({ question, answer, onAnswer, onChange, disabled, shown, compared = [] }: ScreenProps<Drawing>) {
  const { image, boxes } = question;
  const way = useContext(WayContext);
  const first = answer && "box" in answer ? answer.box : null;
  const { box, twin, keep, confirm } = useOwnBox(first, boxes, (own) => onAnswer(given(own)));
  const noneMissing = (): void => onAnswer({ none_missing: true });
  const changed = (next: Box | null): void => {
    keep(next);
    onChange(next && given(next));
  };
  useCommands(NOTHING, { nothing: disabled ? null : noneMissing });

  const picture = (
    <DrawBox
      {...{ image, first, disabled, way }}
      label={t("Picture to draw on")}
      boxes={[...boxes, ...compared]}
      numbers={Late.Numbers}
      onLoading={usePictureInSight()}
      onBox={changed}
      onConfirm={confirm}
    />
  );
  const nothing = boxes.length > 0 ? NOTHING.nothing.label : t("There is nothing to draw");
  const isBox = shown && first ? { pressed: true, disabled: true } : { disabled: !box };
  const isNothing = answer !== null && "none_missing" in answer;
  return (
    <Frame picture={picture} ask={<Ask question={question} />}>
      <Captions {...captionsOf(question)} />
      {way.by !== "drag" && !shown && <p class="gesture">{GESTURES[way.by]}</p>}
      <p class="twin" role="status">
        {twin > 0 && t("Your box is nearly the same as box {letter}. If it is around something else, confirm it once more.", { letter: letterOf(twin) })}
      </p>
      <div class="answers" role="group" aria-label={t("Your answer")}>
        <AnswerButton value="box" keys={DRAWING.confirm.keys[0]} label={t("This is my box")} {...isBox} onPress={confirm} />
        <AnswerButton
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

export const BOX_DRAWING: TaskScreen<"box_drawing"> = {
  Screen: BoxDrawing,
  commands: [DRAWING, NOTHING, NEAR, ZOOM],
};
