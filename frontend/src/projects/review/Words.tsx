/** The captions with their phrases, and the chains, in the colours of the gallery. */

import { useEffect, useRef } from "preact/hooks";
import { type Bench, boxCount, type WordedCaption, type Chain, type Mention, type Named, textsOf } from "./data";

interface Props {
  readonly bench: Bench;
  readonly chosen: number | null;
  readonly onChoose: (chain: number) => void;
}

interface CaptionsProps {
  readonly bench: { readonly captions: readonly WordedCaption[]; readonly mentions: readonly Mention[]; readonly chains: readonly Named[] };
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

interface Piece {
  readonly text: string;
  readonly mention?: Mention;
}

/** The runs of a caption's text: phrases, and what is between them. */
function piecesOf({ number, text, words, offsets }: WordedCaption, mentions: readonly Mention[]): Piece[] {
  const pieces: Piece[] = [];
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

export function BenchChains({ bench, chosen, onChoose }: Props) {
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
