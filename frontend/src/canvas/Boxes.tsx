/** Boxes on the picture, each with a tag. They differ by line, width and tag, not by colour alone. */

import type { Box } from "./geometry/box";
import { placeTags } from "./geometry/labels";

/** accepted: blue and dashed; new: vermillion, solid and thick. */
export type Look = "accepted" | "new";
export interface ShownBox {
  readonly box: Box;
  readonly tag: string;
  readonly look: Look;
  readonly lit?: boolean;
}

/** The height of a tag and the width of a letter, in screen pixels. */
const TAG = 20;
const LETTER = 9;

const tagWidth = (tag: string): number => Math.max(TAG, tag.length * LETTER + 8);

/** A rectangle in two layers, visible on any background. */
export function Outline({ box: [x0, y0, x1, y1] }: { readonly box: Box }) {
  const place = { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
  return (
    <>
      <rect class="halo" {...place} />
      <rect class="line" {...place} />
    </>
  );
}

/** `scale`: screen pixels per image pixel. Tags keep their size on the screen. */
export function Boxes({ shown, scale }: { readonly shown: readonly ShownBox[]; readonly scale: number }) {
  const tags = placeTags(
    shown.map(({ box, tag }) => ({ box, width: tagWidth(tag) / scale })),
    TAG / scale,
  );
  return (
    <>
      {shown.map(({ box, look, lit }, index) => (
        <g key={index} class={`box ${look}${lit ? " lit" : ""}`}><Outline box={box} /></g>
      ))}
      {shown.map(({ tag, look, lit }, index) => (
        <g
          key={index}
          class={`tag ${look}${lit ? " lit" : ""}`}
          transform={`translate(${(tags[index] ?? [0, 0]).join(" ")}) scale(${1 / scale})`}
        >
          <rect width={tagWidth(tag)} height={TAG} rx={3} />
          <text x={tagWidth(tag) / 2} y={TAG / 2}>{tag}</text>
        </g>
      ))}
    </>
  );
}
