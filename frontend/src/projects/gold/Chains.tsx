/** The list of chains, each with its phrases and what was decided about it. */

import type { Mention, Named } from "../review/data";
import { isDecided, type Sheet, type SheetChain } from "./sheet";

interface Props {
  readonly sheet: Sheet;
  /** In the order of the sheet. */
  readonly chains: readonly Named[];
  readonly mentions: readonly Mention[];
  readonly chosen: number | null;
  readonly onChoose: (chain: number) => void;
}

export const phrasesOf = (mentions: readonly Mention[], numbers: readonly number[]): string =>
  numbers.map((number) => mentions.find((one) => one.number === number)?.text ?? "?").join(" · ");

export function standingOf({ boxes, non_visual }: SheetChain): string {
  if (boxes.length) return boxes.length === 1 ? "1 box" : `${String(boxes.length)} boxes`;
  return non_visual || "not decided";
}

export function Chains({ sheet, chains, mentions, chosen, onChoose }: Props) {
  return (
    <ul class="chains">
      {sheet.map((chain, index) => {
        const { name = -1, number = 0, colour = "" } = chains[index] ?? {};
        return (
          <li key={name} class={`${colour}${name === chosen ? " on" : ""}${isDecided(chain) ? "" : " open"}`}>
            <button type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
              <b class="number">{number}</b>
              <span class="phrases">{phrasesOf(mentions, chain.mentions)}</span>
              <span class="about">{standingOf(chain)}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
