/** The drawing tool on the picture: the box, its handles, and lines through the pointer. */

import { type Box, HANDLES, type Point, type Size } from "../geometry/box";
import { anchor, type Grip, handlePoint } from "../geometry/handles";
import { Outline } from "./Boxes";
import type { Part } from "./useNudges";

/** The visible side of a handle, in screen pixels. */
const MOUSE = 10;
const TOUCH = 16;

interface Props {
  readonly box: Box;
  readonly scale: number;
  readonly grip: Grip;
  readonly touch: boolean;
  readonly part: Part;
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
        <g key={index} transform={`translate(${String(x)} ${String(y)}) scale(${String(1 / scale)})`}>
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
  const path = `M${String(x)} 0V${String(height)}M0 ${String(y)}H${String(width)}`;
  return (
    <g class="crosshair">
      <path class="halo" d={path} />
      <path class="line" d={path} />
    </g>
  );
}
