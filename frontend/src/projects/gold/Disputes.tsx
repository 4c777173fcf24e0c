/** What two annotators disagree on, each with both sides; one press takes a side over. */

import type { Mention } from "../review/data";
import { phrasesOf, standingOf } from "./Chains";
import type { Dispute, Side } from "./data";

interface Props {
  readonly disputes: readonly Dispute[];
  readonly mentions: readonly Mention[];
  readonly onTake: (side: Side, words: string) => void;
}

const ABOUT = { phrases: "Which phrases mean the same", boxes: "Boxes" };

export function Disputes({ disputes, mentions, onTake }: Props) {
  return (
    <section class="act disputes" aria-labelledby="disputes">
      <h2 id="disputes">{disputes.length === 1 ? "1 disagreement" : `${String(disputes.length)} disagreements`}</h2>
      <p class="hint">What both have is in the sheet already. Take one side, or decide otherwise below, and finish.</p>
      {disputes.map((dispute, index) => (
        <div key={index} class="dispute">
          <h3>{ABOUT[dispute.about]}: {phrasesOf(mentions, dispute.mentions)}</h3>
          <ul>
            {dispute.sides.map((side) => (
              <li key={side.name}>
                <button type="button" onClick={() => onTake(side, `Taken from ${side.name}.`)}>Take {side.name}’s</button>
                <span>
                  {side.chains.map((chain, place) => (
                    <span key={place} class="about">{phrasesOf(mentions, chain.mentions)}: {standingOf(chain)}</span>
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
