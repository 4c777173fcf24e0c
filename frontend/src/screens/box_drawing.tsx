import type { AnswerTo, Question } from "../api/types";
import { Choice } from "../canvas/Choice";
import { DrawBox } from "../canvas/DrawBox";
import { useOwnBox } from "../canvas/useOwnBox";
import type { Box } from "../geometry/box";
import { Captions, phraseOf } from "../parts/Captions";
import { Frame } from "../parts/Frame";
import { useKeys } from "../state/keys";
import type { ScreenProps } from "./screen";

type Drawing = AnswerTo<"box_drawing">;

const given = (box: Box): Drawing => ({ box: [...box] });

function ask({ captions, boxes }: Question): string {
  const phrase = `“${phraseOf(captions)}”`;
  return boxes.length > 0 ? `Draw one more box for ${phrase}, if one is missing` : `Draw one box for ${phrase}`;
}

export function BoxDrawing({ question, answer, onAnswer, onChange, disabled, shown }: ScreenProps<Drawing>) {
  const { image, boxes, captions } = question;
  const first = answer && "box" in answer ? answer.box : null;
  const { box, twin, keep, confirm } = useOwnBox(first, boxes, (own) => onAnswer(given(own)));
  const noneMissing = (): void => onAnswer({ none_missing: true });
  const changed = (next: Box | null): void => {
    keep(next);
    onChange(next && given(next));
  };
  useKeys(disabled ? {} : { n: noneMissing });

  const picture = (
    <DrawBox label="Picture to draw on" onBox={changed} onConfirm={confirm} {...{ image, boxes, first, disabled }} />
  );
  const nothing = boxes.length > 0 ? "No box is missing" : "There is nothing to draw";
  const isBox = shown && first ? { pressed: true, disabled: true } : { disabled: !box };
  const isNothing = answer !== null && "none_missing" in answer;
  return (
    <Frame picture={picture} ask={ask(question)}>
      <Captions captions={captions} />
      <p class="twin" role="status">
        {twin > 0 && `Your box is nearly the same as box ${String(twin)}. If it is around something else, confirm it once more.`}
      </p>
      <div class="answers" role="group" aria-label="Your answer">
        <Choice value="box" keys="Enter" label="This is my box" {...isBox} onPress={confirm} />
        <Choice
          value="none_missing"
          keys="n"
          label={nothing}
          pressed={isNothing}
          disabled={disabled}
          onPress={noneMissing}
        />
      </div>
    </Frame>
  );
}
