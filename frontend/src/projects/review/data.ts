/** What the workbench and the server exchange. */

import { request } from "../../api/client";
import type { Picture } from "../../canvas/Picture";
import type { Box } from "../../canvas/geometry/box";

export interface WordedCaption {
  readonly number: number;
  readonly text: string;
  readonly words: readonly string[];
  readonly offsets: readonly number[];
}
export interface Mention {
  readonly number: number;
  readonly caption: number;
  readonly start: number;
  readonly end: number;
  readonly types: readonly string[];
  readonly text: string;
}
/** A chain as it is shown: its name, the number and the colour by which people know it, and its phrases. */
export interface Named {
  readonly name: number;
  readonly number: number;
  readonly colour: string;
  readonly mentions: readonly number[];
}
export interface Chain extends Named {
  readonly state: string;
  readonly review: string;
  readonly doubted: string;
  readonly non_visual: string;
  readonly merged_into: number | null;
}
export interface DrawnBox {
  readonly number: number;
  /** The name by which people know it, in the picture, the list and what was said: "3", or "3a" of several. */
  readonly name: string;
  readonly chain: number;
  readonly box: Box;
  readonly state: "pending" | "accepted" | "discarded";
}
/** The words of phrases, by their numbers. */
export const textsOf = (mentions: readonly Mention[], numbers: readonly number[]): string =>
  numbers.map((number) => mentions.find((one) => one.number === number)?.text ?? "?").join(" · ");
export const boxCount = (number: number): string => (number === 1 ? "1 box" : `${String(number)} boxes`);
interface Judgment {
  readonly id: number;
  readonly task: string;
  readonly chains: readonly number[];
  /** The two phrases of a link; empty for other questions. */
  readonly about: string;
  readonly answer: string;
  readonly worker: string;
  readonly at: string;
  readonly seconds: number | null;
  readonly comment: string;
  /** Why the answer does not count, or not yet; empty if it does. */
  readonly mark: string;
}
export interface Skip {
  readonly task: string;
  readonly chains: readonly number[];
  readonly worker: string;
  readonly at: string;
  readonly reason: string;
  readonly comment: string;
}
interface BenchReport {
  readonly what: string;
  readonly number: number;
  readonly chains: readonly number[];
  readonly who: string;
  readonly at: string;
  readonly reason: string;
}
interface Act {
  readonly entry: number;
  readonly words: string;
  readonly actor: string;
  readonly reason: string;
  readonly at: string;
  readonly undone: boolean;
}
/** Labels of a data set that is checked, which an expert can confirm or take back. */
export interface Check {
  readonly chains: readonly number[];
  /** The ways in which they were wrong; empty: they are as they were. */
  readonly kinds: readonly string[];
  /** As they are now, in the form of the record. */
  readonly labels: readonly unknown[];
  /** As the data set has them; null: they cannot be taken back. */
  readonly before: readonly unknown[] | null;
  /** The same in words. */
  readonly said: readonly string[];
  /** All boxes that the data set has of them. */
  readonly boxes: readonly Box[];
  /** Who found that they were wrong. */
  readonly found: readonly string[];
  /** Who has decided about them; empty: nobody need. */
  readonly decision: string;
}
export interface Bench {
  readonly sequence: number;
  readonly state: string;
  readonly started: boolean;
  /** The number of the next phrase. */
  readonly numbered: number;
  readonly image: Picture & { readonly has_picture: boolean };
  readonly captions: readonly WordedCaption[];
  readonly mentions: readonly Mention[];
  readonly chains: readonly Chain[];
  readonly boxes: readonly DrawnBox[];
  readonly chosen: number | null;
  readonly judgments: readonly Judgment[];
  readonly skips: readonly Skip[];
  readonly reports: readonly BenchReport[];
  readonly acts: readonly Act[];
  readonly undo: number | null;
  readonly redo: number | null;
  /** Null: the project checks no data set. */
  readonly checks: readonly Check[] | null;
  readonly next: string | null;
  readonly types: readonly string[];
  readonly destinations: readonly string[];
}

/** An act of an expert, as the rules take it; or the number of an entry to undo. */
export type Wanted = { readonly action: Readonly<Record<string, unknown>> } | { readonly undo: number };

export interface Effects {
  readonly changes: readonly string[];
  readonly needs_reason: boolean;
  readonly sequence: number;
}
export interface Place {
  readonly base: string;
  readonly query: string;
}

export const loadBench = (place: Place): Promise<Bench> => request(`${place.base}data/${place.query}`);
export const previewAct = (place: Place, wanted: Wanted): Promise<Effects> => request(`${place.base}preview/`, { body: wanted });
export const act = (place: Place, wanted: Wanted, sequence: number, reason: string, chain: number | null): Promise<Bench> =>
  request(`${place.base}act/${place.query}`, { body: { ...wanted, sequence, reason, chain } });
