/** A stage on which a worker draws one box with pointer, fingers, keys or numbers. */

import type { FunctionComponent } from "preact";
import { useRef, useState } from "preact/hooks";
import { Outline } from "./Boxes";
import { Crosshair, Drawn, Points, Tick } from "./Drawn";
import { Stage } from "./Stage";
import "./draw.css"; // after the canvas it lies on
import { around, type Box } from "./geometry/box";
import { gripFor } from "./geometry/handles";
import type { Seen } from "./geometry/viewport";
import type { NumbersProps } from "./Numbers";
import type { Picture, PictureLoading } from "./Picture";
import { DRAWING } from "../keyboard/commands";
import { CommandButton } from "../keyboard/controls";
import { t } from "../t";
import { type DrawBy, useDrawing, type Way } from "./useBoxEditor";
import { type BoxPart, useNudges } from "./useNudges";
import { useFull } from "./useZoom";

interface Props {
  readonly image: Picture;
  readonly label: string;
  /** Accepted boxes. */
  readonly boxes: readonly Box[];
  /** The box at the start. */
  readonly first: Box | null;
  readonly disabled: boolean;
  readonly way?: Way;
  /** The box as four numbers: `Numbers`, or what loads it. */
  readonly numbers: FunctionComponent<NumbersProps>;
  readonly onLoading?: (loading: PictureLoading) => void;
  readonly onBox: (box: Box | null) => void;
  readonly onConfirm: () => void;
}

export const GESTURES: Record<DrawBy, string> = {
  drag: t("Drag to draw a box."),
  "two clicks": t("Press on two opposite corners to draw a box."),
  "extreme points": t("Press on the top, left, bottom and right end of the object to draw a box."),
};
const PART_NAMES: Record<BoxPart, string> = { box: t("Arrows: box"), nw: t("Arrows: ◤"), se: t("Arrows: ◢") };
const PART_WORDS: Record<BoxPart, string> = {
  box: t("arrow keys move the whole box"),
  nw: t("arrow keys move its upper left corner"),
  se: t("arrow keys move its lower right corner"),
};

export const describe = (box: Box | null): string => {
  if (!box) return t("No box");
  const [x0, y0, x1, y1] = box.map(String) as [string, string, string, string];
  return t("Box: left {x0}, top {y0}, right {x1}, bottom {y1}", { x0, y0, x1, y1 });
};

const DRAG: Way = { by: "drag", doubleClick: false };

export function DrawBox({ image, label, boxes, first, disabled, way = DRAG, numbers: Numbers, onLoading, onBox, onConfirm }: Props) {
  const drawing = useDrawing(image, first, way, onBox, onConfirm);
  const [numbers, setNumbers] = useState(false);
  const [full, toggleFull] = useFull();
  const seen = useRef<Seen>({ view: { x: 0, y: 0, width: image.width, height: image.height }, scale: 1 });
  const [part, nextPart] = useNudges({
    drawing,
    size: image,
    disabled,
    shown: () => seen.current,
    onConfirm,
    onNumbers: () => setNumbers(!numbers),
    onFull: toggleFull,
  });
  const { box, points, touch, pointer } = drawing;
  const corner = way.by === "two clicks" && points.length && pointer ? around([...points, pointer], image) : null;

  const buttons = (
    <>
      <span class="gap" />
      <CommandButton icon="undo" of={DRAWING.undo} run={disabled || !drawing.canUndo ? null : drawing.undo} />
      <CommandButton icon="redo" of={DRAWING.redo} run={disabled || !drawing.canRedo ? null : drawing.redo} />
      <CommandButton icon="remove" of={DRAWING.remove} run={disabled || !(box || points.length) ? null : () => drawing.set(null)} />
      <CommandButton kind="part" of={DRAWING.part} name={`${PART_NAMES[part]}, ${PART_WORDS[part]}`} run={disabled || !box ? null : nextPart}>
        {PART_NAMES[part]}
      </CommandButton>
      <CommandButton kind="numbers" of={DRAWING.numbers} pressed={numbers} run={() => setNumbers(!numbers)}>
        #
      </CommandButton>
      <CommandButton icon="full" of={DRAWING.full} pressed={full} run={toggleFull} />
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
        help={GESTURES[way.by]}
        commands={[DRAWING]}
        buttons={buttons}
        tool={disabled ? null : drawing.tool}
        onLoading={onLoading}
        onView={(shown) => void (seen.current = shown)}
        onSpace={() => box && !disabled && !drawing.dragging && onConfirm()}
        over={(seen) =>
          box &&
          !disabled &&
          !drawing.dragging && <Tick {...{ box, touch, seen }} grip={gripFor(box, touch, seen, image)} onPress={onConfirm} />
        }
      >
        {(seen) => (
          <>
            {pointer && !disabled && <Crosshair at={pointer} size={image} />}
            {corner && <g class="box drawing"><Outline box={corner} /></g>}
            <Points at={points} scale={seen.scale} />
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
        {drawing.dragging ? "" : points.length ? t("Points set: {n}", { n: points.length }) : describe(box)}
      </p>
    </div>
  );
}
