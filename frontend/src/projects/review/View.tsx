/** The picture with the boxes of all chains; those of the chosen chain stand out. */

import { Outline } from "../../canvas/Boxes";
import { DrawBox } from "../../canvas/DrawBox";
import { Numbers } from "../../canvas/Numbers";
import { Stage } from "../../canvas/Stage";
import type { Box } from "../../canvas/geometry/box";
import {
  type Bench,
  boxCount,
  type Chain,
  type Check,
  type DrawnBox,
  type Mention,
  type Named,
  textsOf,
  type WordedCaption,
} from "./data";
import { useEffect, useRef } from "preact/hooks";
import { localTime } from "../../local_time";

interface Props {
  readonly bench: Pick<Bench, "image" | "boxes"> & { readonly chains: readonly Named[] };
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

interface CaptionsProps {
  readonly bench: Pick<Bench, "captions" | "mentions"> & { readonly chains: readonly Named[] };
  readonly chosen: number | null;
  /** Called with the chain of a phrase that was pressed, and the phrase. */
  readonly onChoose: (chain: number, mention: number) => void;
}

export function ChainCaptions({ bench, chosen, onChoose }: CaptionsProps) {
  const chainOf = new Map(bench.chains.flatMap((chain) => chain.mentions.map((number) => [number, chain] as const)));
  return (
    <ol class="captions">
      {bench.captions.map((caption) => (
        <li key={caption.number} dir="auto">
          {piecesOf(caption, bench.mentions).map(({ text, mention }, index) => {
            const chain = mention && chainOf.get(mention.number);
            return chain ? (
              <button key={index} type="button" class={`phrase ${chain.colour}${chain.name === chosen ? " on" : ""}`} title={mention.types.join(", ")} aria-pressed={chain.name === chosen} onClick={() => onChoose(chain.name, mention.number)}>
                {text}
                <sub>{chain.number}</sub>
              </button>
            ) : (
              text
            );
          })}
        </li>
      ))}
    </ol>
  );
}

/** The runs of a caption's text: phrases, and what is between them. */
function piecesOf({ number, text, words, offsets }: WordedCaption, mentions: readonly Mention[]) {
  const pieces: { text: string; mention?: Mention }[] = [];
  let at = 0;
  for (const mention of mentions.filter((one) => one.caption === number)) {
    const from = offsets[mention.start] ?? at;
    const last = mention.end - 1;
    const to = (offsets[last] ?? from) + (words[last]?.length ?? 0);
    if (from > at) pieces.push({ text: text.slice(at, from) });
    pieces.push({ text: text.slice(from, to), mention });
    at = to;
  }
  return [...pieces, { text: text.slice(at) }];
}

/** The chain's state, boxes, review and doubts in words. */
function about(bench: Bench, chain: Chain): string {
  const names = [...new Set(bench.boxes.filter((one) => one.chain === chain.name && one.state === "accepted").map((one) => one.name))].sort();
  // A chain's only box has the chain's number, which stands beside it already.
  const listed = names.some((one) => one !== String(chain.number)) ? `: ${names.join(", ")}` : "";
  const boxes = names.length ? `${boxCount(names.length)}${listed}` : "";
  const into = bench.chains.find((one) => one.name === chain.merged_into);
  const parts = [chain.state, boxes, chain.non_visual, chain.review ? `waits: ${chain.review}` : "", chain.doubted ? `doubted: ${chain.doubted}` : "", into ? `merged into ${String(into.number)}` : ""];
  return parts.filter(Boolean).join(" · ");
}

export function BenchChains({ bench, chosen, onChoose }: { readonly bench: Bench; readonly chosen: number | null; readonly onChoose: (chain: number) => void }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const shown = list.current;
    // On a phone the page scrolls, and not the list: it stays where it is.
    if (shown && shown.scrollHeight > shown.clientHeight) shown.querySelector(".on")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <ul class="chains" ref={list}>
      {bench.chains.map((chain) => (
        <li key={chain.name} class={`${chain.colour}${chain.name === chosen ? " on" : ""}`}>
          <button type="button" aria-pressed={chain.name === chosen} onClick={() => onChoose(chain.name)}>
            <b class="number">{chain.number}</b>
            <span class="phrases">{textsOf(bench.mentions, chain.mentions)}</span>
            <span class="about">{about(bench, chain)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const When = ({ at }: { readonly at: string }) => <time dateTime={at}>{localTime(new Date(at))}</time>;
const seconds = (taken: number | null): string => (taken === null ? "" : `${String(Math.round(taken))} s`);

export function AnswerList({ bench, chosen }: { readonly bench: Bench; readonly chosen: number | null }) {
  const own = <T extends { readonly chains: readonly number[] }>(rows: readonly T[]): readonly T[] =>
    chosen === null ? rows : rows.filter((one) => one.chains.includes(chosen));
  const [judgments, skips, reports] = [own(bench.judgments), own(bench.skips), own(bench.reports)];
  const number = bench.chains.find((one) => one.name === chosen)?.number;
  return (
    <section class="told" aria-labelledby="told" tabIndex={0}>
      <h2 id="told">{number === undefined ? "What was said" : `What was said about chain ${String(number)}`}</h2>
      {reports.length > 0 && (
        <ul>
          {reports.map((one, index) => (
            <li key={index} class="reported">
              <b>{one.who}</b> reports the {one.what} as wrong{one.reason && `: “${one.reason}”`} <span class="about"><When at={one.at} /></span>
            </li>
          ))}
        </ul>
      )}
      {judgments.length === 0 && reports.length === 0 && <p class="hint">Nobody has answered a question about it.</p>}
      <ul>
        {judgments.map((one) => (
          <li key={one.id} class={one.mark ? "void" : ""}>
            <span class="task">{one.task}</span> {one.about && `${one.about}: `}<b>{one.answer}</b> {one.mark && <span class="chip">{one.mark}</span>}
            <span class="about">{[one.worker, seconds(one.seconds)].filter(Boolean).join(" · ")} · <When at={one.at} /></span>
            {one.comment && <q>{one.comment}</q>}
          </li>
        ))}
        {skips.map((one, index) => (
          <li key={`skip ${String(index)}`} class="void">
            <span class="task">{one.task}</span> <b>skipped</b>: {one.reason}
            <span class="about">{one.worker} · <When at={one.at} /></span>
            {one.comment && <q>{one.comment}</q>}
          </li>
        ))}
      </ul>
      {bench.acts.length > 0 && (
        <details>
          <summary>Acts of experts on this image ({bench.acts.length})</summary>
          <ul>
            {[...bench.acts].reverse().map((one) => (
              <li key={one.entry} class={one.undone ? "void" : ""}>
                <b>{one.words}</b> {one.undone && <span class="chip">undone</span>}
                <span class="about">{one.actor} · <When at={one.at} /></span>
                {one.reason && <q>{one.reason}</q>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

export function Changed({ check }: { readonly check: Check }) {
  if (!check.kinds.length)
    return check.decision ? <p class="changed"><span class="chip">{check.decision}</span> This label is as the data set has it.</p> : null;
  return (
    <section class="changed" aria-labelledby="changed">
      <h2 id="changed">Changed by the check</h2>
      <p>{check.kinds.map((one) => <span key={one} class="chip">{one}</span>)}</p>
      <dl>
        <dt>Before</dt>
        {check.texts.map((one) => <dd key={one} dir="auto">{one}</dd>)}
        {check.texts.length === 0 && <dd>no label</dd>}
        {check.sources.length > 0 && <><dt>Found by</dt><dd>{check.sources.join(", ")}</dd></>}
        <dt>State</dt><dd>{check.decision}</dd>
      </dl>
      {check.boxes.length > 0 && <p class="hint">Dotted in the picture: the boxes before.</p>}
    </section>
  );
}
