/** The workbench of one image: everything about it, and every act by mouse and by key. */

import "./bench.css";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { problemInWords } from "../page";
import { ActPanel } from "./ActPanel";
import { KeysDialog } from "../KeysDialog";
import { AnswerList, Changed } from "./Told";
import { BoxesView } from "./View";
import { BenchChains, ChainCaptions } from "./Words";
import {
  actCommands,
  type ActDraft,
  ACTING,
  actsOf,
  checkOf,
  draftFor,
  type Kind,
  missing,
  REVIEW,
  wantedOf,
} from "./acts";
import { act, type Bench as Data, loadBench, type Place, previewAct } from "./data";
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
  const [bench, setBench] = useState<Data | null>(null);
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
        <Loaded {...{ place, links, bench, characters, onBench: setBench }} />
      </Boundary>
    </CharacterKeys.Provider>
  );
}

interface Props {
  readonly place: Place;
  readonly links: Links;
  readonly bench: Data;
  readonly characters: ReturnType<typeof useCharacterKeys>;
  readonly onBench: (bench: Data) => void;
}

function Loaded({ place, links, bench, characters, onBench }: Props) {
  const acting = useActing();
  const [chosen, setChosen] = useState(bench.chosen);
  const [boxNumber, setBox] = useState<number | null>(null);
  const [draft, setDraft] = useState<ActDraft | null>(null);
  const [confirmed, setConfirmed] = useState(0);
  const [said, setSaid] = useState("");
  const [help, setHelp] = useState(false);
  const acts = actsOf(bench);
  const chain = bench.chains.find((one) => one.name === chosen) ?? null;
  const box = bench.boxes.find((one) => one.number === boxNumber && one.chain === chosen) ?? null;

  const choose = (name: number, number: number | null = null): void => {
    setChosen(name);
    setBox(number);
    setDraft(null);
  };
  const start = (kind: Kind): void => {
    const why = missing(kind, bench, chain, box);
    setSaid(why);
    setConfirmed(0);
    if (kind === "confirm") {
      if (!why) void confirm();
      return;
    }
    setDraft(why ? null : draftFor(kind, bench, chain, box));
  };
  // A confirmation changes nothing, so it needs no second look: many are given in a row.
  const confirm = async (): Promise<void> => {
    const wanted = wantedOf(draftFor("confirm", bench, chain, box), bench, chain, box);
    if (!wanted) return;
    try {
      const { sequence } = await previewAct(place, wanted);
      onBench(await act(place, wanted, sequence, "", chosen));
      setSaid("Confirmed. U undoes it, N goes on.");
    } catch (error) {
      setSaid(problemInWords(error));
    }
  };
  const step = (by: number): void => {
    const at = bench.chains.findIndex((one) => one.name === chosen);
    const next = bench.chains[(at + by + bench.chains.length) % bench.chains.length];
    if (next) choose(next.name);
  };
  const stepBox = (by: number): void => {
    const own = bench.boxes.filter((one) => one.chain === chosen);
    const at = own.findIndex((one) => one.number === boxNumber);
    const next = own[at < 0 ? (by > 0 ? 0 : own.length - 1) : (at + by + own.length) % own.length];
    if (next) {
      setBox(next.number);
      setSaid(`Box ${next.name}, ${next.state}.`);
    } else setSaid("This chain has no box.");
  };
  const done = (next: Data, words: string): void => {
    onBench(next);
    setDraft(null);
    setBox(null);
    if (!next.chains.some((one) => one.name === chosen)) setChosen(next.chosen);
    setSaid(`Done: ${words.toLowerCase()}. ${next.undo === null ? "" : "U undoes it."}`);
  };
  const close = (): void => {
    setDraft(null);
    setSaid("Nothing was changed.");
  };
  const free = (run: () => void): (() => void) | null => (draft ? null : run);
  useCommands(actCommands(acts), Object.fromEntries(acts.map(({ kind }) => [kind, free(() => start(kind))])));
  useCommands(REVIEW, {
    nextChain: free(() => step(1)), previousChain: free(() => step(-1)), nextBox: free(() => stepBox(1)), previousBox: free(() => stepBox(-1)),
    help: free(() => setHelp(true)),
    next: free(() => (bench.next ? location.assign(bench.next) : setSaid(bench.checks ? "Nothing else waits." : "No other chain waits."))),
    cancel: draft && close,
  });

  const check = checkOf(bench, chain);
  const draws = draft?.kind === "draw" || draft?.kind === "move";
  return (
    <div class={bench.image.has_picture ? "bench" : "bench bare"}>
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
              drawing={draws ? (draft.kind === "move" ? (box?.box ?? null) : null) : undefined}
              onChoose={(name, one) => choose(name, one.number)}
              onBox={(drawn) => setDraft((now) => now && { ...now, box: drawn })}
              onConfirm={() => setConfirmed((now) => now + 1)}
            />
          </div>
          <div class="acts" role="toolbar" aria-label="Acts">
            {acts.map((one) => {
              const why = missing(one.kind, bench, chain, box);
              return (
                <button key={one.kind} type="button" title={why || one.about} aria-disabled={why !== ""} aria-keyshortcuts={acting(one.key)} aria-pressed={draft?.kind === one.kind} onClick={() => start(one.kind)}>
                  {one.name} <Key name={one.key} />
                </button>
              );
            })}
          </div>
          <p class="said" role="status">{said}</p>
        </div>
        <div class="right">
          {draft && (
            <ActPanel key={draft.kind} {...{ place, draft, bench, chain, box, confirmed }} onDraft={(change) => setDraft({ ...draft, ...change })} onDone={done} onClose={close} />
          )}
          {check && <Changed check={check} />}
          <h2 class="unseen">Captions</h2>
          <ChainCaptions {...{ bench, chosen }} onChoose={(name) => choose(name)} />
          <h2>Chains</h2>
          <BenchChains {...{ bench, chosen }} onChoose={choose} />
          <AnswerList {...{ bench, chosen }} />
        </div>
      </div>
      {help && <KeysDialog tables={[actCommands(acts), REVIEW, ACTING, ...PICTURE]} characters={characters} onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Open the workbench in the element that the page has for it. */
export function openBench(root: HTMLElement): void {
  const { base = "", query = "", name = "", image = "", queue = "" } = root.dataset;
  root.replaceChildren();
  render(<Workbench place={{ base, query }} links={{ name, image, queue }} />, root);
}
