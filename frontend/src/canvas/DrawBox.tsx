/** A stage on which a worker draws one box with pointer, fingers, keys or numbers. */

import { useRef, useState } from "preact/hooks";
import type { Picture } from "../api/types";
import type { Box } from "../geometry/box";
import type { View } from "../geometry/viewport";
import { Crosshair, Drawn } from "./Drawn";
import { gripFor } from "./grip";
import { Numbers } from "./Numbers";
import { Stage } from "./Stage";
import { ToolButton } from "./ToolButton";
import { useDrawing } from "./useDrawing";
import { type Part, useNudges } from "./useNudges";

interface Props {
  readonly image: Picture;
  readonly label: string;
  /** Accepted boxes. */
  readonly boxes: readonly Box[];
  /** The box at the start. */
  readonly first: Box | null;
  readonly disabled: boolean;
  readonly onBox: (box: Box | null) => void;
  readonly onConfirm: () => void;
}

const HELP =
  "Drag to draw a box. With the keyboard: B adds a box, arrow keys move it by one pixel, with Shift by ten; " +
  "E changes what arrow keys move: the box, its upper left corner, its lower right corner; X removes it; " +
  "the number sign shows it as numbers; Enter confirms it.";
const PART_NAMES: Record<Part, string> = { box: "Arrows: box", nw: "Arrows: ◤", se: "Arrows: ◢" };
const PART_WORDS: Record<Part, string> = {
  box: "arrow keys move the whole box",
  nw: "arrow keys move its upper left corner",
  se: "arrow keys move its lower right corner",
};

export const describe = (box: Box | null): string => {
  if (!box) return "No box";
  const [x0, y0, x1, y1] = box.map(String) as [string, string, string, string];
  return `Box: left ${x0}, top ${y0}, right ${x1}, bottom ${y1}`;
};

export function DrawBox({ image, label, boxes, first, disabled, onBox, onConfirm }: Props) {
  const drawing = useDrawing(image, first, onBox);
  const [numbers, setNumbers] = useState(false);
  const view = useRef<View>({ x: 0, y: 0, width: image.width, height: image.height });
  const [part, nextPart] = useNudges({
    drawing,
    size: image,
    disabled,
    shown: () => view.current,
    onConfirm,
    onNumbers: () => setNumbers(!numbers),
  });
  const { box, touch, pointer } = drawing;

  const buttons = (
    <>
      <span class="gap" />
      <ToolButton icon="undo" name="Undo" keys="Ctrl+Z" disabled={disabled || !drawing.canUndo} onPress={drawing.undo} />
      <ToolButton icon="redo" name="Redo" keys="Ctrl+Y" disabled={disabled || !drawing.canRedo} onPress={drawing.redo} />
      <ToolButton icon="remove" name="Remove the box" keys="x" disabled={disabled || !box} onPress={() => drawing.set(null)} />
      <ToolButton kind="part" name={`${PART_NAMES[part]}, ${PART_WORDS[part]}`} keys="e" disabled={disabled || !box} onPress={nextPart}>
        {PART_NAMES[part]}
      </ToolButton>
      <ToolButton kind="numbers" name="The box as numbers" keys="#" pressed={numbers} onPress={() => setNumbers(!numbers)}>
        #
      </ToolButton>
    </>
  );

  return (
    <div class="draw">
      <Stage
        image={image}
        label={label}
        boxes={boxes}
        near={box}
        drawn={box}
        help={HELP}
        buttons={buttons}
        tool={disabled ? null : drawing.tool}
        onView={(shown) => void (view.current = shown)}
      >
        {(seen) => (
          <>
            {pointer && !disabled && <Crosshair at={pointer} size={image} />}
            {box && (
              <Drawn
                {...{ box, touch, part }}
                scale={seen.scale}
                grip={gripFor(box, touch, seen, image)}
                handles={!drawing.dragging && !disabled}
              />
            )}
          </>
        )}
      </Stage>
      {numbers && <Numbers box={box} size={image} disabled={disabled} onBox={drawing.set} />}
      <p class="unseen" role="status">
        {drawing.dragging ? "" : describe(box)}
      </p>
    </div>
  );
}
