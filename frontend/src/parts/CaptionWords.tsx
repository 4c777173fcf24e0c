import { useId, useRef } from "preact/hooks";
import { WORDS } from "../keyboard/words";
import type { Run } from "../keyboard/listener";
import { useCommands } from "../keyboard/useCommands";
import { glued } from "./Captions";
import { t } from "../t";

interface Props {
  words: readonly string[];
  /** Of the caption, as a BCP 47 tag; "": unknown. */
  language: string;
  /** The place of the wrong word; null: none yet. */
  picked: number | null;
  /** Whether a word is to be picked. */
  open: boolean;
  onPick: (word: number) => void;
  /** Enter, once a word is picked. */
  onEnter: () => void;
  disabled: boolean;
}

/**
 * The caption, large; and the same words as buttons to pick one from. Both have the same place, which is large enough
 * for either, so that nothing below moves.
 */
export function CaptionWords({ words, language, picked, open, onPick, onEnter, disabled }: Props) {
  const name = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  const typed = useRef("");
  const pick = (word: number): void => {
    group.current?.querySelectorAll("input")[places.indexOf(word)]?.focus();
    onPick(word);
  };
  const places = words.flatMap((word, i) => (isWord(word) ? i : []));
  useCommands(WORDS, open ? numberKeys(places, typed, disabled ? null : pick) : {});
  const move = (event: KeyboardEvent): void => {
    const step = stepOf(event, getComputedStyle(event.currentTarget as Element).direction === "rtl");
    if (event.key === "Enter" && picked !== null) onEnter();
    else if (step !== 0) pick(nextOf(places, picked, step));
    else return;
    typed.current = "";
    event.preventDefault();
  };
  return (
    <div class={open ? "caption picking" : "caption"} data-judged lang={language || undefined} dir="auto">
      <p>{glued(words.join(" "))}</p>
      <fieldset ref={group} onKeyDown={move}>
        <legend class="unseen">{t("Which word is wrong?")}</legend>
        {words.map((word, i) =>
          isWord(word) ? (
            <label key={i} class="token">
              <input type="radio" name={name} value={i} checked={picked === i} disabled={disabled || !open} onClick={() => onPick(i)} />
              <small aria-hidden="true">{places.indexOf(i) + 1}</small>
              <span>{word}</span>
            </label>
          ) : (
            <span key={i}>{word}</span>
          ),
        )}
      </fieldset>
    </div>
  );
}

/** A full stop of its own is part of the caption, but no word. */
const isWord = (token: string): boolean => /[\p{L}\p{N}]/u.test(token);

/** How far an arrow key moves the choice; 0: another key. */
function stepOf({ key, altKey, ctrlKey, metaKey }: KeyboardEvent, rtl: boolean): number {
  if (altKey || ctrlKey || metaKey) return 0;
  const onward = rtl ? "ArrowLeft" : "ArrowRight";
  if (key === onward || key === "ArrowDown") return 1;
  return key === "ArrowUp" || key === "ArrowLeft" || key === "ArrowRight" ? -1 : 0;
}

/** The place of the word after or before the picked one, round in a circle; without a picked one, the first or the last. */
function nextOf(places: readonly number[], picked: number | null, step: number): number {
  const from = picked === null ? (step > 0 ? -1 : 0) : places.indexOf(picked);
  return places.at((from + step) % places.length) ?? 0;
}

/** Keys that pick a word by its number: 1, then 2 is word 12 if there is one, else word 2. `typed`: the digits so far. */
function numberKeys(places: readonly number[], typed: { current: string }, pick: ((word: number) => void) | null): Record<string, Run | null> {
  const type = (digit: string): void => {
    const number = [typed.current + digit, digit].find((one) => one[0] !== "0" && Number(one) <= places.length) ?? "";
    typed.current = number;
    const word = places[Number(number) - 1];
    if (word !== undefined) pick?.(word);
  };
  return Object.fromEntries(Array.from("0123456789", (digit) => [digit, pick && (() => type(digit))]));
}
