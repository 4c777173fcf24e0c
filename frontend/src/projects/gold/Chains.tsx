/** The chains with what was decided about each, and what two annotators disagree on. */

import type { Dispute, Side } from "./data";
import { boxCount, type Mention, type Named, textsOf } from "../review/data";
import { isDecided, type Sheet, type SheetChain } from "./sheet";

interface Props {
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

export function SheetChains({ sheet, chains, mentions, chosen, onChoose }: Props) {
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

export function Disputes({ disputes, mentions, onTake }: DisputesProps) {
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
