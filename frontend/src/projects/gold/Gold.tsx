/** The page on which one image is annotated: phrases are linked, and every chain gets its boxes or a reason for none. */

import "../review/bench.css";
import "./gold.css";
import { render } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { Desk, KeysDialog } from "../Desk";
import { Key, useActing, useCommands } from "../../keyboard/controls";
import { BoxesView, ChainCaptions } from "../review/View";
import { boxCount, type DrawnBox, type Mention, type Named, textsOf } from "../review/data";
import { beginGold, chosenChain, isDecided, type Sheet, type SheetChain, sheetOf, stepGold, undecided } from "./reducer";
import { GOLD, PICTURE, type SheetTool, TOOLS } from "./tools";
import type { Returned } from "../../api/call";
import { request } from "../../api/client";
import { listen } from "../../ui/listen";
import { problemInWords } from "../page";

const COLOURS = 8;

interface Props {
  readonly address: string;
  readonly name: string;
  readonly list: string;
  readonly data: GoldImage;
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

function Loaded({ address, name, list, data }: Props) {
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
        <h1>{name}</h1>
        <span class="state">{finished ? "finished" : left ? `${String(left)} of ${String(sheet.length)} chains left` : "ready to finish"}</span>
        <nav class="steps" aria-label="Images">
          <button type="button" onClick={() => setHelp(true)}>Keys <Key name="?" /></button>
          <a class="button" href={list}>All images</a>
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
            {(Object.entries(TOOLS) as [SheetTool, (typeof TOOLS)[SheetTool]][]).map(([tool, { keys: [key], name: words, label }]) => (
              <button key={tool} type="button" title={label} aria-keyshortcuts={acting(key)} class={tool === "finish" && !left ? "main" : ""} aria-pressed={tool === "link" ? linking : tool === "draw" ? drawing : undefined} onClick={tools[tool]}>
                {tool === "draw" && drawing ? "Done drawing" : words} <Key name={key} />
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
      {help && <KeysDialog tables={[GOLD, ...PICTURE]} onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Open the page of one image in the element that it has for it. */
export function openGold(root: HTMLElement): void {
  const { address = "", name = "", list = "" } = root.dataset;
  root.replaceChildren();
  const back = <a class="button" href={list}>Back to the list</a>;
  render(
    <Desk name={name} load={() => loadSheet(address)} waiting="The image is loading …" back={back}>
      {(data) => <Loaded {...{ address, name, list, data }} />}
    </Desk>,
    root,
  );
}

interface ChainsProps {
  readonly sheet: Sheet;
  /** In the order of the sheet. */
  readonly chains: readonly Named[];
  readonly mentions: readonly Mention[];
  readonly chosen: number | null;
  readonly onChoose: (chain: number) => void;
}

function standingOf({ boxes, non_visual }: SheetChain): string {
  return boxes.length ? boxCount(boxes.length) : non_visual || "not decided";
}

function SheetChains({ sheet, chains, mentions, chosen, onChoose }: ChainsProps) {
  return (
    <ul class="chains">
      {sheet.map((chain, index) => {
        const { name = -1, number = 0, colour = "" } = chains[index] ?? {};
        return (
          <li key={name} class={`${colour}${name === chosen ? " on" : ""}${isDecided(chain) ? "" : " open"}`}>
            <button type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
              <b class="number">{number}</b>
              <span class="phrases">{textsOf(mentions, chain.mentions)}</span>
              <span class="about">{standingOf(chain)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

interface DisputesProps {
  readonly disputes: readonly Dispute[];
  readonly mentions: readonly Mention[];
  readonly onTake: (side: Side, words: string) => void;
}

const ABOUT = { phrases: "Which phrases mean the same", boxes: "Boxes" };

function Disputes({ disputes, mentions, onTake }: DisputesProps) {
  return (
    <section class="act disputes" aria-labelledby="disputes">
      <h2 id="disputes">{disputes.length === 1 ? "1 disagreement" : `${String(disputes.length)} disagreements`}</h2>
      <p class="hint">What both have is in the sheet already. Take one side, or decide otherwise below, and finish.</p>
      {disputes.map((dispute, index) => (
        <div key={index} class="dispute">
          <h3>{ABOUT[dispute.about]}: {textsOf(mentions, dispute.mentions)}</h3>
          <ul>
            {dispute.sides.map((side) => (
              <li key={side.name}>
                <button type="button" onClick={() => onTake(side, `Taken from ${side.name}.`)}>Take {side.name}’s</button>
                <span>
                  {side.chains.map((chain, place) => (
                    <span key={place} class="about">{textsOf(mentions, chain.mentions)}: {standingOf(chain)}</span>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

type GoldImage = Returned<"gold_annotation">;
/** What two annotators disagree on. */
type Dispute = GoldImage["disputes"][number];
type Side = Dispute["sides"][number];
type SheetStanding = Returned<"save_gold_annotation">;
const loadSheet = (address: string): Promise<GoldImage> => request<"gold_annotation">(address);

/** Changes that follow each other quickly are saved together, in milliseconds. */
const PAUSE = 400;

function useSaving(address: string, sheet: Sheet, first: SheetStanding) {
  const [standing, setStanding] = useState(first);
  const [saved, setSaved] = useState<Sheet>(sheet);
  const [problem, setProblem] = useState("");
  const revision = useRef(first.revision);
  const running = useRef<Promise<boolean>>(Promise.resolve(true));

  /** Send what the page has, after whatever is under way. */
  const post = (chains: Sheet, finish: boolean): Promise<boolean> => {
    running.current = running.current.then(async () => {
      try {
        const next = await request<"save_gold_annotation">(address, { body: { chains, revision: revision.current, finish } });
        revision.current = next.revision;
        setStanding(next);
        setSaved(chains);
        setProblem("");
        return true;
      } catch (error) {
        setProblem(problemInWords(error, "; your changes are kept on this page."));
        return false;
      }
    });
    return running.current;
  };
  useEffect(() => {
    if (sheet === saved) return;
    const later = setTimeout(() => void post(sheet, false), PAUSE);
    const leave = listen(window, { beforeunload: (event: Event) => event.preventDefault() });
    return () => {
      clearTimeout(later);
      leave();
    };
  }, [sheet, saved]);
  return { standing, saved: sheet === saved, problem, finish: () => post(sheet, true) };
}
