/** The workbench of one image: everything about it, and every act by mouse and by key. */

import "./bench.css";
import { render } from "preact";
import { useEffect, useReducer, useState } from "preact/hooks";
import { problemInWords } from "../page";
import { ActPanel } from "./ActPanel";
import { KeysDialog } from "../KeysDialog";
import { AnswerList, Changed } from "./Told";
import { BoxesView } from "./View";
import { BenchChains, ChainCaptions } from "./Words";
import { actCommands, ACTING, ACTS, checkOf, draftFor, drawsBox, type Kind, kindsOf, REVIEW, wantedOf } from "./acts";
import { act, type Bench, loadBench, type Place, previewAct } from "./data";
import { beginReview, stepReview, targetOf } from "./reducer";
import { PICTURE } from "../gold/tools";
import { Key, useActing } from "../../keyboard/controls";
import { CharacterKeys, useCommands } from "../../keyboard/useCommands";
import { useCharacterKeys } from "../keys";
import { Boundary, savedOnly } from "../../ui/Boundary";

interface Links {
  readonly name: string;
  readonly image: string;
  readonly queue: string;
}

function Workbench({ place, links }: { readonly place: Place; readonly links: Links }) {
  const [bench, setBench] = useState<Bench | null>(null);
  const [problem, setProblem] = useState("");
  const characters = useCharacterKeys();
  useEffect(() => {
    loadBench(place).then(setBench, (error: unknown) => setProblem(problemInWords(error)));
  }, []);
  if (problem) return <><h1>{links.name}</h1><p class="error" role="alert">{problem}</p></>;
  if (!bench) return <><h1>{links.name}</h1><p role="status">The workbench is loading …</p></>;
  return (
    <CharacterKeys.Provider value={characters[0]}>
      <Boundary words={savedOnly} onward={<a class="button" href={links.queue}>Queue</a>}>
        <Loaded {...{ place, links, characters }} first={bench} />
      </Boundary>
    </CharacterKeys.Provider>
  );
}

interface Props {
  readonly place: Place;
  readonly links: Links;
  readonly first: Bench;
  readonly characters: ReturnType<typeof useCharacterKeys>;
}

function Loaded({ place, links, first, characters }: Props) {
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
        <h1><a href={links.image}>{links.name}</a></h1>
        <span class={`state s-${bench.state.replace(" ", "-")}`}>{bench.state}</span>
        <nav class="steps" aria-label="Queue">
          <button type="button" onClick={() => setHelp(true)}>Keys <Key name="?" /></button>
          <a class="button" href={links.queue}>Queue</a>
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
      {help && <KeysDialog tables={[actCommands(kinds), REVIEW, ACTING, ...PICTURE]} characters={characters} onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Open the workbench in the element that the page has for it. */
export function openBench(root: HTMLElement): void {
  const { address = "", query = "", filters = "", name = "", image = "", queue = "" } = root.dataset;
  root.replaceChildren();
  render(<Workbench place={{ address, query, queue: JSON.parse(filters) as Place["queue"] }} links={{ name, image, queue }} />, root);
}
