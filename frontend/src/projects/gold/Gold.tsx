/** The page on which one image is annotated: phrases are linked, and every chain gets its boxes or a reason for none. */

import "../review/bench.css";
import "./gold.css";
import { render } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { problemInWords } from "../page";
import { Disputes, SheetChains } from "./Chains";
import { KeysDialog } from "../KeysDialog";
import type { Box } from "../../canvas/geometry/box";
import * as history from "../../canvas/geometry/history";
import { type GoldImage, loadSheet, useSaving } from "./data";
import { Key, useActing } from "../../keyboard/controls";
import { CharacterKeys, useCommands } from "../../keyboard/useCommands";
import { useCharacterKeys } from "../keys";
import { BoxesView } from "../review/View";
import { ChainCaptions } from "../review/Words";
import type { DrawnBox, Named } from "../review/data";
import { addBox, chainOf, decide, dropBox, isDecided, link, type Sheet, takeSide, undecided } from "./sheet";
import { GOLD, PICTURE, type SheetTool, TOOLS } from "./tools";
import { Boundary, savedOnly } from "../../ui/Boundary";

interface Links {
  readonly name: string;
  readonly list: string;
}

export function Gold({ address, links }: { readonly address: string; readonly links: Links }) {
  const [data, setData] = useState<GoldImage | null>(null);
  const [problem, setProblem] = useState("");
  const characters = useCharacterKeys();
  useEffect(() => {
    loadSheet(address).then(setData, (error: unknown) => setProblem(problemInWords(error)));
  }, []);
  if (data)
    return (
      <CharacterKeys.Provider value={characters[0]}>
        <Boundary words={savedOnly} onward={<a class="button" href={links.list}>Back to the list</a>}>
          <Loaded {...{ address, links, data, characters }} />
        </Boundary>
      </CharacterKeys.Provider>
    );
  return (
    <>
      <h1>{links.name}</h1>
      {problem ? <p class="error" role="alert">{problem} <a href={links.list}>Back to the list</a></p> : <p role="status">The image is loading …</p>}
    </>
  );
}

const COLOURS = 8;

interface Props {
  readonly address: string;
  readonly links: Links;
  readonly data: GoldImage;
  readonly characters: ReturnType<typeof useCharacterKeys>;
}

function Loaded({ address, links, data, characters }: Props) {
  const acting = useActing();
  const order = data.mentions.map((one) => one.number);
  const [past, setPast] = useState(history.newHistory<Sheet>(data.chains));
  const [at, setAt] = useState(order[0] ?? -1);
  const [held, setHeld] = useState<number | null>(null);
  const [linking, setLinking] = useState(false);
  const [drawing, setDrawing] = useState(false);
  const [drawn, setDrawn] = useState<Box | null>(null);
  const [said, setSaid] = useState("");
  const [help, setHelp] = useState(false);
  const sheet = past.now;
  const saving = useSaving(address, sheet, data);
  const chain = chainOf(sheet, at);
  const left = undecided(sheet).length;

  const chains: Named[] = sheet.map((one, index) => ({
    name: one.mentions[0] ?? -1, number: index + 1, colour: `c${String(index % COLOURS)}${index < COLOURS ? "" : " again"}`, mentions: one.mentions,
  }));
  const chosen = chain?.mentions[0] ?? null;
  const boxes: DrawnBox[] = sheet
    .flatMap((one, index) => one.boxes.map((box) => ({ chain: one.mentions[0] ?? -1, box, name: String(index + 1) })))
    .map((one, number) => ({ ...one, number, state: "accepted" }));
  const own = boxes.filter((one) => one.chain === chosen);
  const box = held === null ? null : (own[held] ?? null);

  const change = (next: Sheet, words: string): void => {
    if (next !== sheet) setPast(history.change(past, next));
    setSaid(words);
  };
  const choose = (mention: number, place: number | null = null): void => {
    setAt(mention);
    setHeld(place);
    setDrawing(false);
    setDrawn(null);
  };
  /** A box that was drawn and not confirmed counts, unless Escape dropped it. */
  const kept = (): Sheet => (drawn ? addBox(sheet, at, drawn) : sheet);
  const stopDrawing = (keep: boolean): void => {
    if (keep && drawn) change(kept(), "The box is kept.");
    setDrawing(false);
    setDrawn(null);
  };
  const press = (mention: number): void => {
    if (!linking) return choose(mention);
    change(link(sheet, mention, at, order), chain?.mentions.includes(mention) ? "The phrase is a chain of its own." : "The phrase belongs to the chosen chain.");
    if (mention === at) setAt(chain?.mentions.find((one) => one !== mention) ?? mention);
  };
  const step = (by: number, among: Sheet = sheet): void => {
    const here = sheet.findIndex((one) => one === chain);
    const places = among.map((one) => sheet.indexOf(one));
    const next = by > 0 ? (places.find((place) => place > here) ?? places[0]) : ([...places].reverse().find((place) => place < here) ?? places.at(-1));
    const mention = sheet[next ?? -1]?.mentions[0];
    if (mention !== undefined) choose(mention);
  };
  const mark = (reason: "scene" | "no box"): void => {
    const next = decide(sheet, at, reason);
    change(next, reason === "scene" ? "The chain is the whole scene." : "The chain has nothing to draw a box around.");
    const waiting = next.findIndex((one, index) => index > sheet.indexOf(chain ?? one) && !isDecided(one));
    if (waiting >= 0) choose(next[waiting]?.mentions[0] ?? at);
  };
  const stepBox = (by: number): void => {
    if (own.length) setHeld(held === null ? (by > 0 ? 0 : own.length - 1) : (held + by + own.length) % own.length);
    else setSaid("This chain has no box.");
  };
  const finish = async (): Promise<void> => {
    if (left) {
      setSaid(`${String(left)} of ${String(sheet.length)} chains have neither a box nor a reason for none.`);
      step(1, undecided(sheet));
    } else if (await saving.finish()) setSaid("Finished. Thank you.");
  };
  const act: Record<SheetTool, () => void> = {
    link: () => setLinking(!linking),
    draw: () => (drawing ? stopDrawing(true) : (setHeld(null), setDrawing(true))),
    none: () => mark("no box"),
    scene: () => mark("scene"),
    remove: () => (own.length ? (change(dropBox(sheet, at, held ?? own.length - 1), "The box is gone."), setHeld(null)) : setSaid("This chain has no box.")),
    undo: () => setPast(history.undo(past)),
    redo: () => setPast(history.redo(past)),
    finish: () => void finish(),
  };
  useLayoutEffect(() => {
    // The keys belong to the picture now, and not to the phrase that was pressed before.
    if (drawing) document.querySelector<SVGElement>(".gold .plane")?.focus();
  }, [drawing, own.length]);
  const free = (run: () => void): (() => void) | null => (drawing ? null : run);
  useCommands(GOLD, {
    link: free(act.link), draw: act.draw, none: free(act.none), scene: free(act.scene), remove: free(act.remove), undo: free(act.undo), redo: free(act.redo), finish: free(act.finish),
    nextChain: free(() => step(1)), previousChain: free(() => step(-1)), nextBox: free(() => stepBox(1)), previousBox: free(() => stepBox(-1)),
    help: free(() => setHelp(true)),
    next: free(() => (saving.standing.next ? location.assign(saving.standing.next) : setSaid("No other image waits."))),
    leave: () => {
      stopDrawing(false);
      setLinking(false);
    },
  });

  const finished = saving.standing.finished && saving.saved;
  return (
    <div class="bench gold">
      <div class="heading">
        <h1>{links.name}</h1>
        <span class="state">{finished ? "finished" : left ? `${String(left)} of ${String(sheet.length)} chains left` : "ready to finish"}</span>
        <nav class="steps" aria-label="Images">
          <button type="button" onClick={() => setHelp(true)}>Keys <Key name="?" /></button>
          <a class="button" href={links.list}>All images</a>
          {saving.standing.next && <a class={finished ? "button main" : "button"} href={saving.standing.next}>Next image <Key name="g" /></a>}
        </nav>
      </div>
      <div class="desk">
        <div class="left">
          <div class="view">
            <BoxesView
              key={drawing ? `draw ${String(own.length)}` : "look"}
              bench={{ image: data.image, boxes, chains }} chosen={chosen} box={box}
              drawing={drawing ? null : undefined}
              onChoose={(name, one) => choose(name, boxes.filter((other) => other.chain === name).indexOf(one))}
              onBox={setDrawn}
              onConfirm={() => { change(kept(), "The box is kept. Draw the next one, or press D to end."); setDrawn(null); }}
            />
          </div>
          <div class="acts" role="toolbar" aria-label="Acts">
            {(Object.entries(TOOLS) as [SheetTool, (typeof TOOLS)[SheetTool]][]).map(([tool, { keys: [key], name, label }]) => (
              <button key={tool} type="button" title={label} aria-keyshortcuts={acting(key)} class={tool === "finish" && !left ? "main" : ""} aria-pressed={tool === "link" ? linking : tool === "draw" ? drawing : undefined} onClick={act[tool]}>
                {tool === "draw" && drawing ? "Done drawing" : name} <Key name={key} />
              </button>
            ))}
          </div>
          <p class="said" role="status">{said}</p>
          {saving.problem ? <p class="error" role="alert">{saving.problem}</p> : <p class="hint">{saving.saved ? (saving.standing.revision ? "Saved." : "") : "Saving …"}</p>}
        </div>
        <div class="right">
          {data.disputes.length > 0 && <Disputes disputes={data.disputes} mentions={data.mentions} onTake={(side, words) => change(takeSide(sheet, side.chains, order), words)} />}
          <h2>{linking ? "Press the phrases that mean the same as the chosen chain" : "Captions"}</h2>
          <ChainCaptions bench={{ captions: data.captions, mentions: data.mentions, chains }} chosen={chosen} onChoose={(_, mention) => press(mention)} />
          <h2>Chains</h2>
          <SheetChains sheet={sheet} chains={chains} mentions={data.mentions} chosen={chosen} onChoose={choose} />
        </div>
      </div>
      {help && <KeysDialog tables={[GOLD, ...PICTURE]} characters={characters} onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Open the page of one image in the element that it has for it. */
export function openGold(root: HTMLElement): void {
  const { address = "", name = "", list = "" } = root.dataset;
  root.replaceChildren();
  render(<Gold address={address} links={{ name, list }} />, root);
}
