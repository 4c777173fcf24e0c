/** What keys do, as data: buttons, help and the one listener of the page read these tables. Those of requesters' pages stand beside their pages. */

import { isCharacter } from "./listener";
import { t } from "../t";

export interface Command {
  /** The names of its keys; a button shows the first. */
  readonly keys: readonly string[];
  /** In words for the button, the help, and those who hear the page. */
  readonly label: string;
  /** A held key goes on; all others act once. */
  readonly repeats?: true;
}
export type Commands = Readonly<Record<string, Command>>;

/** A key of the picture goes before the same key of the page: an arrow moves a box, and not to another question. */
export type Layer = "picture" | "page";

/** To the right and down. */
export const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const arrows = Object.keys(ARROWS);

export const ZOOM = {
  nearer: { keys: ["+", "="], label: t("Zoom in"), repeats: true },
  farther: { keys: ["-"], label: t("Zoom out"), repeats: true },
  whole: { keys: ["0"], label: t("Whole picture") },
  push: { keys: arrows, label: t("Move the zoomed picture that has the focus"), repeats: true },
  /** The space bar acts when it is let go: canvas/useViewport.ts. It stands here for the help. */
  hold: { keys: ["Space"], label: t("Held: a drag moves the picture"), repeats: true },
} as const satisfies Commands;

export const NEAR = { near: { keys: ["z"], label: t("Zoom to the box, or whole picture") } } as const satisfies Commands;

export const DRAWING = {
  confirm: { keys: ["Enter", "Space"], label: t("Confirm the box") },
  add: { keys: ["b"], label: t("Put a box in the middle") },
  remove: { keys: ["x", "Delete"], label: t("Remove the box") },
  move: { keys: arrows, label: t("Move the box by a pixel, with Shift by ten"), repeats: true },
  part: { keys: ["e"], label: t("Choose what arrows move: the box or a corner") },
  undo: { keys: ["Ctrl+z"], label: t("Undo"), repeats: true },
  redo: { keys: ["Ctrl+y", "Ctrl+Shift+z"], label: t("Redo"), repeats: true },
  numbers: { keys: ["#"], label: t("The box as numbers") },
  full: { keys: ["f"], label: t("Full screen") },
} as const satisfies Commands;

/** The last key of a question, and the main button of every other page. */
export const MAIN = { press: { keys: ["Enter"], label: t("Press the main button") } } as const satisfies Commands;
export const PAGE = {
  back: { keys: ["ArrowLeft", "Backspace"], label: t("Back") },
  onward: { keys: ["ArrowRight"], label: t("Next question") },
  comment: { keys: ["c"], label: t("Comment") },
  skip: { keys: ["s"], label: t("Skip") },
  help: { keys: ["?", "i"], label: t("How it works") },
} as const satisfies Commands;

/** The commands of answers. */
export const answerCommands = (choices: readonly { value: string | number; keys: readonly string[]; label: string }[]): Commands =>
  Object.fromEntries(choices.map(({ value, keys, label }) => [value, { keys, label }]));

export interface Row {
  readonly label: string;
  readonly keys: readonly string[];
}

/** What keys do, each thing once, without the keys that are switched off. */
export function rowsOf(tables: readonly Commands[], characters: boolean): Row[] {
  const rows = new Map<string, string[]>();
  for (const { keys, label } of tables.flatMap((table) => Object.values(table))) {
    const acting = keys.filter((key) => characters || !isCharacter(key));
    if (acting.length) rows.set(label, [...new Set([...(rows.get(label) ?? []), ...acting])]);
  }
  return [...rows].map(([label, keys]) => ({ label, keys }));
}
