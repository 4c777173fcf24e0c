import { useContext } from "preact/hooks";
import type { AnswerTo, Mistake, Question } from "../api/types";
import { DrawBox, GESTURES } from "../canvas/DrawBox";
import { area, type Box, iou, overlap } from "../canvas/geometry/box";
import { letterOf } from "../canvas/geometry/labels";
import { useOwnBox } from "../canvas/useBoxEditor";
import { type Commands, DRAWING, NEAR, ZOOM } from "../keyboard/commands";
import { useCommands } from "../keyboard/controls";
import { WayContext } from "../labelling/preferences";
import { usePictureInSight } from "../labelling/sight";
import { Captions, captionsOf, PhraseWords } from "../labelling/views/Captions";
import { Frame } from "../labelling/views/Frame";
import { lateParts } from "../labelling/views/late";
import { rich, t } from "../t";
import { AnswerButton } from "./choice";
import { BOTH_DOGS, CROWD, LEFT_DOG, MAN, MAN_IN_HAT, PEOPLE, RIGHT_DOG, TWO_DOGS } from "./examples";
import type { ScreenProps, TaskScreen } from "./task";

type Drawing = AnswerTo<"box_drawing">;

/** Few workers type numbers: the fields are loaded when they are first shown. */
const Numbers = lateParts(() => import("../canvas/Numbers")).later((chunk) => chunk.Numbers, (words) => <div class="numbers">{words}</div>);

const given = (box: Box): Drawing => ({ box: [...box] });

const NOTHING = { nothing: { keys: ["n"], label: t("No box is missing") } } as const satisfies Commands;

/** The task, for one phrase. */
function Ask({ question }: { question: Question }) {
  const phrase = <PhraseWords of={question} />;
  if (question.boxes.length === 0) return <>{rich("Draw one box for {phrase}", { phrase })}</>;
  return <>{rich("Draw one more box for {phrase}, if one is missing", { phrase })}</>;
}

function BoxDrawing({ question, answer, onAnswer, onChange, disabled, tried = null, compared = [] }: ScreenProps<Drawing>) {
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
      numbers={Numbers}
      onLoading={usePictureInSight()}
      onBox={changed}
      onConfirm={confirm}
    />
  );
  const nothing = boxes.length > 0 ? NOTHING.nothing.label : t("There is nothing to draw");
  const isBox = tried && first ? { pressed: true, disabled: true } : { disabled: !box };
  const isNothing = answer !== null && "none_missing" in answer;
  return (
    <Frame picture={picture} ask={<Ask question={question} />}>
      <Captions {...captionsOf(question)} />
      {way.by !== "drag" && !tried && <p class="gesture">{GESTURES[way.by]}</p>}
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

/** From this IOU on, a drawn box is right. */
const RIGHT = 0.5;
const MOSTLY = 0.75;

function wrongBox(box: Box, missing: readonly Box[]): Mistake | null {
  const nearest = missing.reduce<Box | null>((best, one) => (best && iou(box, best) >= iou(box, one) ? best : one), null);
  if (!nearest) return "needless box";
  if (iou(box, nearest) >= RIGHT) return null;
  const common = overlap(box, nearest);
  if (common >= MOSTLY * area(nearest)) return "too large";
  return common >= MOSTLY * area(box) ? "too small" : "elsewhere";
}

export const BOX_DRAWING: TaskScreen<"box_drawing"> = {
  Screen: BoxDrawing,
  commands: [DRAWING, NOTHING, NEAR, ZOOM],
  rule: {
    title: t("Draw one box"),
    sentences: [
      t("Draw one box around one thing that the marked phrase means. Other people draw the next one."),
      t("The box holds the whole thing and touches it on all four sides."),
      t("Things that you can tell apart get a box each; a crowd gets one box."),
      t("Then confirm your box: without that it is not sent."),
      t("Things with a dashed box are done. If no box is missing, or there is nothing to draw, press the button that says so."),
    ],
    gesture: t(
      "Press on one corner of the thing, drag to the opposite corner and let go: with the mouse or a finger. " +
        "Pull the edges until they touch the thing. Then press Enter, or “This is my box”.",
    ),
    examples: [
      { scene: MAN_IN_HAT, box: MAN, captions: [t("*A man* in a red hat")], answer: "draw", why: t("A good box is tight and holds all of him.") },
      { scene: MAN_IN_HAT, box: [30, 0, 62, 80], captions: [t("*A man* in a red hat")], answer: null, why: t("Too loose.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], box: RIGHT_DOG, captions: [t("*Two dogs* outside")], answer: "draw", why: t("The second dog gets a box of its own.") },
      { scene: TWO_DOGS, box: BOTH_DOGS, captions: [t("*Two dogs* outside")], answer: null, why: t("You can tell them apart: one box each.") },
      { scene: TWO_DOGS, old: [LEFT_DOG, RIGHT_DOG], captions: [t("*Two dogs* outside")], answer: { none_missing: true }, said: NOTHING.nothing.label, why: t("Each dog has its box already.") },
      { scene: CROWD, box: PEOPLE, captions: [t("*A crowd* has come")], answer: "draw", why: t("One box for people you cannot tell apart.") },
    ],
  },
  mistakes: {
    "needless box": t("You drew a box although none was missing."),
    "missed box": t("You missed a thing that has no box."),
    "too large": t("You drew a box too large."),
    "too small": t("You drew a box that cuts something off."),
    elsewhere: t("You drew a box beside the thing, or around another."),
  },
  mistakeIn: ({ missing }, answer) => ("box" in answer ? wrongBox(answer.box, missing) : missing.length > 0 ? "missed box" : null),
};
