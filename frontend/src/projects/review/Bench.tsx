/** The workbench of one image: everything about it, and every act by mouse and by key. */

import "./bench.css";
import { render } from "preact";
import { useReducer, useState } from "preact/hooks";
import { problemInWords } from "../page";
import { Desk, KeysDialog } from "../Desk";
import { ActPanel } from "./ActPanel";
import { AnswerList, BenchChains, BoxesView, ChainCaptions, Changed } from "./View";
import {
  actCommands,
  ACTING,
  ACTS,
  beginReview,
  checkOf,
  draftFor,
  drawsBox,
  type Kind,
  kindsOf,
  REVIEW,
  stepReview,
  targetOf,
  wantedOf,
} from "./acts";
import { act, type Bench, loadBench, type Place, previewAct } from "./data";
import { PICTURE } from "../gold/tools";
import { Key, useActing, useCommands } from "../../keyboard/controls";

interface Props {
  readonly place: Place;
  /** Of the image. */
  readonly name: string;
  /** The addresses of its page and of the queue. */
  readonly image: string;
  readonly queue: string;
  readonly first: Bench;
}

function Loaded({ place, name, image, queue, first }: Props) {
  const acting = useActing();
  const [state, send] = useReducer(stepReview, first, beginReview);
  const [help, setHelp] = useState(false);
  const { bench, chosen, draft, confirmed, said } = state;
  const kinds = kindsOf(bench);
  const target = targetOf(state);
  const { chain, box } = target;

  // A confirmation changes nothing, so it needs no second look: many are given in a row.
  const confirm = async (): Promise<void> => {
    const wanted = wantedOf(draftFor("confirm", target), target);
    if (!wanted) return;
    try {
      const { sequence } = await previewAct(place, wanted);
      send({ type: "label confirmed", bench: await act(place, wanted, sequence, "", chosen) });
    } catch (error) {
      send({ type: "say", words: problemInWords(error) });
    }
  };
  const start = (kind: Kind): void => {
    send({ type: "start", kind });
    if (kind === "confirm" && !ACTS.confirm.missing(target)) void confirm();
  };
  const free = (run: () => void): (() => void) | null => (draft ? null : run);
  useCommands(actCommands(kinds), Object.fromEntries(kinds.map((kind) => [kind, free(() => start(kind))])));
  useCommands(REVIEW, {
    nextChain: free(() => send({ type: "next chain", by: 1 })), previousChain: free(() => send({ type: "next chain", by: -1 })),
    nextBox: free(() => send({ type: "next box", by: 1 })), previousBox: free(() => send({ type: "next box", by: -1 })),
    help: free(() => setHelp(true)),
    next: free(() => (bench.next ? location.assign(bench.next) : send({ type: "say", words: bench.checks ? "Nothing else waits." : "No other chain waits." }))),
    cancel: draft && (() => send({ type: "cancel" })),
  });

  const check = checkOf(bench, chain);
  return (
    <div class={bench.image.has_picture ? "bench whole" : "bench whole bare"}>
      <div class="heading">
        <h1><a href={image}>{name}</a></h1>
        <span class={`state s-${bench.state.replace(" ", "-")}`}>{bench.state}</span>
        <nav class="steps" aria-label="Queue">
          <button type="button" onClick={() => setHelp(true)}>Keys <Key name="?" /></button>
          <a class="button" href={queue}>Queue</a>
          {bench.next && <a class="button main" href={bench.next}>Next <Key name="n" /></a>}
        </nav>
      </div>
      <div class="desk">
        <div class="left">
          <div class="view">
            <BoxesView
              bench={bench} chosen={chosen} box={box} before={check?.kinds.length ? check.boxes : []}
              drawing={drawsBox(draft?.kind) ? (draft?.kind === "move" ? (box?.box ?? null) : null) : undefined}
              onChoose={(name, one) => send({ type: "choose", chain: name, box: one.number })}
              onBox={(drawn) => send({ type: "fill in", change: { box: drawn } })}
              onConfirm={() => send({ type: "confirm the box" })}
            />
          </div>
          <div class="acts" role="toolbar" aria-label="Acts">
            {kinds.map((kind) => {
              const { name, key, about, missing } = ACTS[kind];
              const why = missing(target);
              return (
                <button key={kind} type="button" title={why || about} aria-disabled={why !== ""} aria-keyshortcuts={acting(key)} aria-pressed={draft?.kind === kind} onClick={() => start(kind)}>
                  {name} <Key name={key} />
                </button>
              );
            })}
          </div>
          <p class="said" role="status">{said}</p>
        </div>
        <div class="right">
          {draft && (
            <ActPanel key={draft.kind} {...{ place, draft, target, confirmed }} onDraft={(change) => send({ type: "fill in", change })} onDone={(next, words) => send({ type: "done", bench: next, words })} onClose={() => send({ type: "cancel" })} />
          )}
          {check && <Changed check={check} />}
          <h2 class="unseen">Captions</h2>
          <ChainCaptions {...{ bench, chosen }} onChoose={(name) => send({ type: "choose", chain: name })} />
          <h2>Chains</h2>
          <BenchChains {...{ bench, chosen }} onChoose={(name) => send({ type: "choose", chain: name })} />
        </div>
        <AnswerList {...{ bench, chosen }} />
      </div>
      {help && <KeysDialog tables={[actCommands(kinds), REVIEW, ACTING, ...PICTURE]} onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Open the workbench in the element that the page has for it. */
export function openBench(root: HTMLElement): void {
  const { address = "", query = "", filters = "", name = "", image = "", queue = "" } = root.dataset;
  root.replaceChildren();
  const place: Place = { address, query, queue: JSON.parse(filters) as Place["queue"] };
  const back = <a class="button" href={queue}>Queue</a>;
  render(
    <Desk name={name} load={() => loadBench(place)} waiting="The workbench is loading …" back={back}>
      {(first) => <Loaded {...{ place, name, image, queue, first }} />}
    </Desk>,
    root,
  );
}
