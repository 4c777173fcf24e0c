/** The drawing tool on the picture: the box, its handles, and lines through the pointer. */

import { Outline } from "./Boxes";
import { type Box, HANDLES, type Point, type Size } from "./geometry/box";
import type { Seen } from "./geometry/viewport";
import { anchor, type Grip, handlePoint } from "./geometry/handles";
import { placeTick } from "./geometry/labels";
import { t } from "../t";
import { Icon } from "../ui/Icon";
import type { BoxPart } from "./useNudges";

/** The visible side of a handle, in screen pixels. */
const MOUSE = 10;
const TOUCH = 16;

interface Props {
  readonly box: Box;
  readonly scale: number;
  readonly grip: Grip;
  readonly touch: boolean;
  readonly part: BoxPart;
  readonly handles: boolean;
}

/** The box with its eight handles. The handle that arrow keys move is filled. */
export function Drawn({ box, scale, grip, touch, part, handles }: Props) {
  const shown = handles ? HANDLES.map((name) => ({ name, at: handlePoint(box, name, grip), of: anchor(box, name) })) : [];
  const side = (touch ? TOUCH : MOUSE) / scale;
  return (
    <g class="box drawing">
      <path class="stalk" d={shown.map(({ at, of }) => `M${of.join(" ")}L${at.join(" ")}`).join("")} />
      <Outline box={box} />
      {shown.map(({ name, at: [x, y] }) => (
        <rect
          key={name}
          class={part === name ? "handle held" : "handle"}
          x={x - side / 2}
          y={y - side / 2}
          width={side}
          height={side}
        />
      ))}
    </g>
  );
}

/** The points of a box that is not complete. */
export function Points({ at, scale }: { readonly at: readonly Point[]; readonly scale: number }) {
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
export function Crosshair({ at, size: { width, height } }: { readonly at: Point; readonly size: Size }) {
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
export function taken(box: Box, grip: Grip): Box {
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

interface TickProps {
  readonly box: Box;
  readonly grip: Grip;
  readonly touch: boolean;
  readonly seen: Seen;
  readonly onPress: () => void;
}

export function Tick({ box, grip, touch, seen: { view, scale }, onPress }: TickProps) {
  const [x0, y0, x1, y1] = taken(box, grip);
  const onStage: Box = [(x0 - view.x) * scale, (y0 - view.y) * scale, (x1 - view.x) * scale, (y1 - view.y) * scale];
  const stage: Size = { width: view.width * scale, height: view.height * scale };
  const side = touch ? TICK_TOUCH : TICK_MOUSE;
  const place = placeTick(onStage, side, stage);
  if (!place) return null;
  const [left, top] = place;
  return (
    <button type="button" class="tick" aria-label={t("Confirm the box")} title={t("Confirm the box (Space)")} style={{ left, top, width: side, height: side }} onClick={onPress}>
      <Icon name="tick" />
    </button>
  );
}
