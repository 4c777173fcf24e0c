/** The workbench of one image: everything about it, and every act by mouse and by key. */

import "./bench.css";
import { useEffect, useState } from "preact/hooks";
import { Key, useActing } from "../../keyboard/Key";
import { CharacterKeys, useCommands } from "../../keyboard/useCommands";
import { Boundary, savedOnly } from "../../parts/Boundary";
import { PICTURE } from "../gold/tools";
import { KeysDialog } from "../KeysDialog";
import { useCharacterKeys } from "../keys";
import { ActPanel } from "./ActPanel";
import { ACTING, actsOf, begin, checkOf, commandsOf, type Draft, type Kind, missing, REVIEW, wantedOf } from "./acts";
import { Changed } from "./Changed";
import { act, type Bench as Data, load, type Place, preview } from "./data";
import { Told } from "./Told";
import { View } from "./View";
import { Captions, Chains } from "./Words";

export interface Links {
  readonly name: string;
  readonly image: string;
  readonly queue: string;
}

export function Bench({ place, links }: { readonly place: Place; readonly links: Links }) {
  const [bench, setBench] = useState<Data | null>(null);
  const [problem, setProblem] = useState("");
  const characters = useCharacterKeys();
  useEffect(() => {
    load(place).then(setBench, (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
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
  const [draft, setDraft] = useState<Draft | null>(null);
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
    setDraft(why ? null : begin(kind, bench, chain, box));
  };
  // A confirmation changes nothing, so it needs no second look: many are given in a row.
  const confirm = async (): Promise<void> => {
    const wanted = wantedOf(begin("confirm", bench, chain, box), bench, chain, box);
    if (!wanted) return;
    try {
      const { sequence } = await preview(place, wanted);
      onBench(await act(place, wanted, sequence, "", chosen));
      setSaid("Confirmed. U undoes it, N goes on.");
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
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
  useCommands(commandsOf(acts), Object.fromEntries(acts.map(({ kind }) => [kind, free(() => start(kind))])));
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
            <View
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
          <Captions {...{ bench, chosen }} onChoose={(name) => choose(name)} />
          <h2>Chains</h2>
          <Chains {...{ bench, chosen }} onChoose={choose} />
          <Told {...{ bench, chosen }} />
        </div>
      </div>
      {help && <KeysDialog tables={[commandsOf(acts), REVIEW, ACTING, ...PICTURE]} characters={characters} onClose={() => setHelp(false)} />}
    </div>
  );
}
