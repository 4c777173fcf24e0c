/** A box as four numbers, for workers who prefer to type. */

import { useId, useLayoutEffect, useState } from "preact/hooks";
import type { Box, Size } from "./geometry/box";
import { t } from "../t";

const NAMES = [t("Left"), t("Top"), t("Right"), t("Bottom")];

/** The box that the four entries give, or a sentence that says what is wrong. */
function readBox(entries: readonly string[], { width, height }: Size): Box | string {
  const numbers = entries.map((entry) => (/^\d+$/.test(entry.trim()) ? Number(entry) : NaN));
  const [x0 = NaN, y0 = NaN, x1 = NaN, y1 = NaN] = numbers;
  if (numbers.some(Number.isNaN)) return t("All four must be whole numbers of pixels.");
  if (x1 > width || y1 > height) return t("The picture ends at {width} (right) and {height} (bottom).", { width, height });
  if (x0 >= x1) return t("Left must be less than right.");
  if (y0 >= y1) return t("Top must be less than bottom.");
  return [x0, y0, x1, y1];
}

const entriesOf = (box: Box | null): string[] => (box ? box.map(String) : ["", "", "", ""]);

export interface NumbersProps {
  readonly box: Box | null;
  readonly size: Size;
  readonly disabled: boolean;
  readonly onBox: (box: Box) => void;
}

export function Numbers({ box, size, disabled, onBox }: NumbersProps) {
  const [entries, setEntries] = useState(() => entriesOf(box));
  const problem = useId();
  // Before another key can arrive: one that came first would be replaced by the box before it.
  useLayoutEffect(() => setEntries(entriesOf(box)), [box?.join()]);
  const read = readBox(entries, size);
  const sentence = typeof read === "string" && entries.every((entry) => entry !== "") ? read : "";

  const type = (index: number, text: string): void => {
    const next = entries.map((entry, other) => (other === index ? text : entry));
    setEntries(next);
    const typed = readBox(next, size);
    if (typeof typed !== "string") onBox(typed);
  };
  return (
    <fieldset class="numbers" disabled={disabled}>
      <legend class="unseen">{t("The box in pixels")}</legend>
      {NAMES.map((name, index) => (
        <label key={name}>
          {name}
          <input
            inputMode="numeric"
            autoComplete="off"
            value={entries[index]}
            aria-invalid={sentence !== ""}
            aria-describedby={problem}
            onInput={(event) => type(index, event.currentTarget.value)}
          />
        </label>
      ))}
      <p id={problem} class="problem" role="status">{sentence}</p>
    </fieldset>
  );
}
