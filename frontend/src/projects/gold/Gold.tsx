/** The page on which one image is annotated: phrases are linked, and every chain gets its boxes or a reason for none. */

import "../review/bench.css";
import "./gold.css";
import { render } from "preact";
import { useEffect, useLayoutEffect, useReducer, useState } from "preact/hooks";
import { problemInWords } from "../page";
import { Disputes, SheetChains } from "./Chains";
import { KeysDialog } from "../KeysDialog";
import { type GoldImage, loadSheet, useSaving } from "./data";
import { Key, useActing } from "../../keyboard/controls";
import { CharacterKeys, useCommands } from "../../keyboard/useCommands";
import { useCharacterKeys } from "../keys";
import { BoxesView } from "../review/View";
import { ChainCaptions } from "../review/Words";
import type { DrawnBox, Named } from "../review/data";
import { beginGold, chosenChain, sheetOf, stepGold } from "./reducer";
import { type Sheet, undecided } from "./sheet";
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

/** The chains with their numbers and colours, and all boxes, in the order of the sheet. */
function shownOf(sheet: Sheet): { chains: Named[]; boxes: DrawnBox[] } {
  const chains = sheet.map(({ mentions }, index) => ({
    name: mentions[0] ?? -1, number: index + 1, colour: `c${String(index % COLOURS)}${index < COLOURS ? "" : " again"}`, mentions,
  }));
  const boxes = sheet
    .flatMap((one, index) => one.boxes.map((box) => ({ chain: one.mentions[0] ?? -1, box, name: String(index + 1) })))
    .map((one, number) => ({ ...one, number, state: "accepted" as const }));
  return { chains, boxes };
}

function Loaded({ address, links, data, characters }: Props) {
  const acting = useActing();
  const [state, act] = useReducer(stepGold, beginGold(data.chains, data.mentions.map((one) => one.number)));
  const [help, setHelp] = useState(false);
  const { drawing, linking, said } = state;
  const sheet = sheetOf(state);
  const saving = useSaving(address, sheet, data);
  const left = undecided(sheet).length;
  const { chains, boxes } = shownOf(sheet);
  const chosen = chosenChain(state)?.mentions[0] ?? null;
  const own = boxes.filter((one) => one.chain === chosen);
  const box = state.held === null ? null : (own[state.held] ?? null);

  const finish = async (): Promise<void> => {
    if (left) act({ type: "next undecided" });
    else if (await saving.finish()) act({ type: "say", words: "Finished. Thank you." });
  };
  const tools: Record<SheetTool, () => void> = {
    link: () => act({ type: "link" }),
    draw: () => act({ type: "draw" }),
    none: () => act({ type: "decide", reason: "no box" }),
    scene: () => act({ type: "decide", reason: "scene" }),
    remove: () => act({ type: "remove" }),
    undo: () => act({ type: "undo" }),
    redo: () => act({ type: "redo" }),
    finish: () => void finish(),
  };
  useLayoutEffect(() => {
    // The keys belong to the picture now, and not to the phrase that was pressed before.
    if (drawing) document.querySelector<SVGElement>(".gold .plane")?.focus();
  }, [drawing, own.length]);
  const free = (run: () => void): (() => void) | null => (drawing ? null : run);
  useCommands(GOLD, {
    ...Object.fromEntries(Object.entries(tools).map(([tool, run]) => [tool, free(run)])), draw: tools.draw,
    nextChain: free(() => act({ type: "next chain", by: 1 })), previousChain: free(() => act({ type: "next chain", by: -1 })),
    nextBox: free(() => act({ type: "next box", by: 1 })), previousBox: free(() => act({ type: "next box", by: -1 })),
    help: free(() => setHelp(true)),
    next: free(() => (saving.standing.next ? location.assign(saving.standing.next) : act({ type: "say", words: "No other image waits." }))),
    leave: () => act({ type: "leave" }),
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
              onChoose={(mention, one) => act({ type: "choose", mention, box: boxes.filter((other) => other.chain === mention).indexOf(one) })}
              onBox={(drawn) => act({ type: "drawn", box: drawn })}
              onConfirm={() => act({ type: "confirm" })}
            />
          </div>
          <div class="acts" role="toolbar" aria-label="Acts">
            {(Object.entries(TOOLS) as [SheetTool, (typeof TOOLS)[SheetTool]][]).map(([tool, { keys: [key], name, label }]) => (
              <button key={tool} type="button" title={label} aria-keyshortcuts={acting(key)} class={tool === "finish" && !left ? "main" : ""} aria-pressed={tool === "link" ? linking : tool === "draw" ? drawing : undefined} onClick={tools[tool]}>
                {tool === "draw" && drawing ? "Done drawing" : name} <Key name={key} />
              </button>
            ))}
          </div>
          <p class="said" role="status">{said}</p>
          {saving.problem ? <p class="error" role="alert">{saving.problem}</p> : <p class="hint">{saving.saved ? (saving.standing.revision ? "Saved." : "") : "Saving …"}</p>}
        </div>
        <div class="right">
          {data.disputes.length > 0 && <Disputes disputes={data.disputes} mentions={data.mentions} onTake={({ chains: taken }, words) => act({ type: "take", chains: taken, words })} />}
          <h2>{linking ? "Press the phrases that mean the same as the chosen chain" : "Captions"}</h2>
          <ChainCaptions bench={{ captions: data.captions, mentions: data.mentions, chains }} chosen={chosen} onChoose={(_, mention) => act({ type: "press", mention })} />
          <h2>Chains</h2>
          <SheetChains sheet={sheet} chains={chains} mentions={data.mentions} chosen={chosen} onChoose={(mention) => act({ type: "choose", mention })} />
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
