/** A stage on which a worker draws one box with pointer, fingers, keys or numbers. */

import "./draw.css";
import type { FunctionComponent } from "preact";
import { useRef, useState } from "preact/hooks";
import { Outline } from "./Boxes";
import { Stage } from "./Stage";
import { around, type Box, HANDLES, type Point, type Size } from "./geometry/box";
import { anchor, type Grip, gripFor, handlePoint } from "./geometry/handles";
import type { Seen } from "./geometry/viewport";
import type { NumbersProps } from "./Numbers";
import type { Picture, PictureLoading } from "./Picture";
import { DRAWING } from "../keyboard/commands";
import { CommandButton } from "../keyboard/controls";
import { t } from "../t";
import { type BoxPart, type DrawBy, useDrawing, useNudges, type Way } from "./useBoxEditor";
import { useFull } from "./useViewport";
import { placeTick } from "./geometry/labels";
import { Icon } from "../ui/Icon";
import { Button } from "../ui/Button";

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
  const toggleNumbers = (): void => setNumbers(!numbers);
  const [part, nextPart] = useNudges(drawing, image, seen, disabled, { confirm: onConfirm, numbers: toggleNumbers, full: toggleFull });
  const { box, points, touch, pointer, dragging } = drawing;
  const rests = !dragging && !disabled;
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
      <CommandButton kind="numbers" of={DRAWING.numbers} pressed={numbers} run={toggleNumbers}>#</CommandButton>
      <CommandButton icon="full" of={DRAWING.full} pressed={full} run={toggleFull} />
    </>
  );

  return (
    <div class="draw">
      <Stage
        {...{ image, label, boxes, buttons, onLoading }}
        near={box}
        drawn={box}
        help={GESTURES[way.by]}
        commands={[DRAWING]}
        tool={disabled ? null : drawing.tool}
        onView={(shown) => void (seen.current = shown)}
        onSpace={() => box && rests && onConfirm()}
        over={(seen) => box && rests && <Tick {...{ box, touch, seen }} grip={gripFor(box, touch, seen, image)} onPress={onConfirm} />}
      >
        {(seen) => (
          <>
            {pointer && !disabled && <Crosshair at={pointer} size={image} />}
            {corner && <g class="box drawing"><Outline box={corner} /></g>}
            <Points at={points} scale={seen.scale} />
            {box && <Drawn {...{ box, touch, part, seen }} grip={gripFor(box, touch, seen, image)} handles={rests} />}
          </>
        )}
      </Stage>
      {numbers && <Numbers box={box} size={image} disabled={disabled} onBox={drawing.set} />}
      <p class="unseen" role="status">
        {dragging ? "" : points.length ? t("Points set: {n}", { n: points.length }) : describe(box)}
      </p>
    </div>
  );
}

/** The visible side of a handle, in screen pixels. */
const MOUSE = 10;
const TOUCH = 16;

/** A box on the stage. */
interface Placed {
  readonly box: Box;
  readonly grip: Grip;
  readonly touch: boolean;
  readonly seen: Seen;
}

/** The box with its eight handles. The handle that arrow keys move is filled. */
function Drawn({ box, grip, touch, seen: { scale }, part, handles }: Placed & { readonly part: BoxPart; readonly handles: boolean }) {
  const shown = handles ? HANDLES.map((name) => ({ name, at: handlePoint(box, name, grip), of: anchor(box, name) })) : [];
  const side = (touch ? TOUCH : MOUSE) / scale;
  return (
    <g class="box drawing">
      <path class="stalk" d={shown.map(({ at, of }) => `M${of.join(" ")}L${at.join(" ")}`).join("")} />
      <Outline box={box} />
      {shown.map(({ name, at: [x, y] }) => (
        <rect key={name} class={part === name ? "handle held" : "handle"} x={x - side / 2} y={y - side / 2} width={side} height={side} />
      ))}
    </g>
  );
}

/** The points of a box that is not complete. */
function Points({ at, scale }: { readonly at: readonly Point[]; readonly scale: number }) {
  return (
    <g class="box drawing">
      {at.map(([x, y], index) => (
        <g key={index} transform={`translate(${x} ${y}) scale(${1 / scale})`}>
          <circle class="halo" r={6} />
          <circle class="line" r={6} />
          <path class="line" d="M-2 0H2M0-2V2" />
        </g>
      ))}
    </g>
  );
}

/** Lines through the pointer, on the pixel borders where a box would begin. */
function Crosshair({ at, size: { width, height } }: { readonly at: Point; readonly size: Size }) {
  const [x, y] = [Math.round(at[0]), Math.round(at[1])];
  if (x < 0 || y < 0 || x > width || y > height) return null;
  const path = `M${x} 0V${height}M0 ${y}H${width}`;
  return (
    <g class="crosshair">
      <path class="halo" d={path} />
      <path class="line" d={path} />
    </g>
  );
}

/** The side of the tick, in screen pixels. */
const TICK_MOUSE = 32;
const TICK_TOUCH = 44;

/** The box and the hit areas of its handles, in image pixels. */
function taken(box: Box, grip: Grip): Box {
  const far = grip.reach / 2;
  const points = HANDLES.map((handle) => handlePoint(box, handle, grip));
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [
    Math.min(box[0], ...xs.map((x) => x - far)),
    Math.min(box[1], ...ys.map((y) => y - far)),
    Math.max(box[2], ...xs.map((x) => x + far)),
    Math.max(box[3], ...ys.map((y) => y + far)),
  ];
}

function Tick({ box, grip, touch, seen: { view, scale }, onPress }: Placed & { readonly onPress: () => void }) {
  const [x0, y0, x1, y1] = taken(box, grip);
  const onStage: Box = [(x0 - view.x) * scale, (y0 - view.y) * scale, (x1 - view.x) * scale, (y1 - view.y) * scale];
  const side = touch ? TICK_TOUCH : TICK_MOUSE;
  const place = placeTick(onStage, side, { width: view.width * scale, height: view.height * scale });
  if (!place) return null;
  const [left, top, width] = [...place, side].map((pixels) => `${pixels}px`);
  return (
    <Button class="tick" aria-label={t("Confirm the box")} title={t("Confirm the box (Space)")} style={{ left, top, width, height: width }} onClick={onPress}>
      <Icon name="tick" />
    </Button>
  );
}
