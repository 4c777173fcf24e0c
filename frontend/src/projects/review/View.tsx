/** The picture with the boxes of all chains; those of the chosen chain stand out. */

import { Outline } from "../../canvas/Boxes";
import { DrawBox } from "../../canvas/DrawBox";
import { Numbers } from "../../canvas/Numbers";
import { Stage } from "../../canvas/Stage";
import type { Box } from "../../canvas/geometry/box";
import { type Bench, boxCount, type DrawnBox, type Named } from "./data";

interface Props {
  readonly bench: { readonly image: Bench["image"]; readonly boxes: readonly DrawnBox[]; readonly chains: readonly Named[] };
  readonly chosen: number | null;
  readonly box: DrawnBox | null;
  /** Boxes that the chosen chain had before a check changed it. */
  readonly before?: readonly Box[];
  /** The box to begin with while one is drawn; undefined: none is drawn. */
  readonly drawing: Box | null | undefined;
  readonly onChoose: (chain: number, box: DrawnBox) => void;
  readonly onBox: (box: Box | null) => void;
  readonly onConfirm: () => void;
}

const LABEL = 22;
const widthOf = (name: string): number => Math.max(LABEL, 10 * name.length + 6);

export function BoxesView({ bench, chosen, box, before = [], drawing, onChoose, onBox, onConfirm }: Props) {
  const own = bench.boxes.filter((one) => one.chain === chosen && one.state === "accepted" && one !== box);
  if (drawing !== undefined)
    return <DrawBox image={bench.image} label="Picture to draw on" boxes={own.map((one) => one.box)} first={drawing} disabled={false} numbers={Numbers} onBox={onBox} onConfirm={onConfirm} />;
  // Discarded boxes show only while one of them is chosen. The chosen chain's lie on top.
  const shown = bench.boxes.filter((one) => one.state !== "discarded" || one === box);
  const sorted = [...shown].sort((a, b) => Number(a.chain === chosen) - Number(b.chain === chosen));
  return (
    <Stage image={bench.image} label={`Picture with ${boxCount(new Set(shown.map((one) => one.name)).size)}`} near={box?.box ?? null}>
      {({ scale }) => (
        <g class={chosen === null ? "" : "some"}>
          {before.map((one) => <g key={one.join()} class="box own was"><Outline box={one} /></g>)}
          {sorted.map((one) => {
            const chain = bench.chains.find((other) => other.name === one.chain);
            const classes = ["box", chain?.colour ?? "", one.state, one.chain === chosen ? "own" : "", one === box ? "held" : ""];
            return (
              <g key={one.number} class={classes.join(" ")} data-box-number={one.number} onPointerDown={(event) => { event.stopPropagation(); onChoose(one.chain, one); }}>
                <Outline box={one.box} />
                <g class="name" transform={`translate(${String(one.box[0])} ${String(one.box[1])}) scale(${String(1 / scale)})`}>
                  <rect width={widthOf(one.name)} height={LABEL} rx={3} />
                  <text x={widthOf(one.name) / 2} y={LABEL / 2}>{one.name}</text>
                </g>
              </g>
            );
          })}
        </g>
      )}
    </Stage>
  );
}
