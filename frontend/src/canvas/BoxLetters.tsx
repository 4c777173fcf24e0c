/** The letters of the boxes. Pointing at a letter or pressing it highlights its box. */

import { useId } from "preact/hooks";
import { letterOf } from "../geometry/tags";
import { t } from "../t";

interface Props {
  readonly count: number;
  readonly lit: number;
  readonly onLit: (number: number) => void;
}

export function BoxLetters({ count, lit, onLit }: Props) {
  const name = useId();
  if (count === 0) return null;
  return (
    <div class="boxletters" role="group" aria-labelledby={name} onPointerLeave={() => onLit(0)}>
      <span id={name}>{t("Boxes so far:")}</span>
      {Array.from({ length: count }, (_, index) => index + 1).map((number) => (
        <button
          key={number}
          type="button"
          aria-label={t("Box {letter}", { letter: letterOf(number) })}
          aria-pressed={lit === number}
          onPointerEnter={() => onLit(number)}
          onFocus={() => onLit(number)}
          onBlur={() => onLit(0)}
          onClick={() => onLit(number)}
        >
          {letterOf(number)}
        </button>
      ))}
    </div>
  );
}
