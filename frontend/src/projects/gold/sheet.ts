/** One person's annotation of an image, as a value: what links, splits, decides and draws. */

import { type Box, sameBox } from "../../canvas/geometry/box";

type NonVisual = "" | "scene" | "no box";

export interface SheetChain {
  /** Numbers of mentions, in reading order. */
  readonly mentions: readonly number[];
  readonly non_visual: NonVisual;
  readonly boxes: readonly Box[];
}
export type Sheet = readonly SheetChain[];

export const chainOf = (sheet: Sheet, mention: number): SheetChain | undefined =>
  sheet.find((one) => one.mentions.includes(mention));
export const isDecided = (chain: SheetChain): boolean => chain.boxes.length > 0 || chain.non_visual !== "";
export const undecided = (sheet: Sheet): Sheet => sheet.filter((one) => !isDecided(one));

/** The chains in the order of their first mentions. `order`: all mentions, in reading order. */
function sorted(sheet: Sheet, order: readonly number[]): Sheet {
  const place = (number: number | undefined): number => order.indexOf(number ?? -1);
  const inside = sheet.map((one) => ({ ...one, mentions: [...one.mentions].sort((a, b) => place(a) - place(b)) }));
  return inside.sort((a, b) => place(a.mentions[0]) - place(b.mentions[0]));
}

/**
 * Put one mention into the chain of another, or, if it is there, into a chain of its own. A chain that loses its last
 * mention hands its boxes on.
 */
export function link(sheet: Sheet, mention: number, into: number, order: readonly number[]): Sheet {
  const from = chainOf(sheet, mention);
  const to = chainOf(sheet, into);
  if (!from || !to || (from === to && from.mentions.length === 1)) return sheet;
  const left = from.mentions.filter((one) => one !== mention);
  const others = sheet.filter((one) => one !== from && one !== to);
  if (from === to) {
    const alone: SheetChain = { mentions: [mention], non_visual: "", boxes: [] };
    return sorted([...others, { ...from, mentions: left }, alone], order);
  }
  const handed = left.length ? [] : from.boxes.filter((box) => !to.boxes.some((one) => sameBox(box, one)));
  const boxes = [...to.boxes, ...handed];
  const reason = to.non_visual || (left.length ? "" : from.non_visual);
  const joined: SheetChain = { mentions: [...to.mentions, mention], boxes, non_visual: boxes.length ? "" : reason };
  return sorted([...others, ...(left.length ? [{ ...from, mentions: left }] : []), joined], order);
}

const changed = (sheet: Sheet, mention: number, change: (chain: SheetChain) => SheetChain): Sheet =>
  sheet.map((one) => (one.mentions.includes(mention) ? change(one) : one));

/** Mark the mention's chain as one without a box; the same mark again takes it away. Boxes go. */
export const decide = (sheet: Sheet, mention: number, reason: NonVisual): Sheet =>
  changed(sheet, mention, (one) => ({ ...one, boxes: [], non_visual: one.non_visual === reason ? "" : reason }));

/** Add a box to the mention's chain. */
export const addBox = (sheet: Sheet, mention: number, box: Box): Sheet =>
  changed(sheet, mention, (one) =>
    one.boxes.some((other) => sameBox(other, box)) ? one : { ...one, non_visual: "", boxes: [...one.boxes, box] },
  );

/** Take a box of the mention's chain away. */
export const dropBox = (sheet: Sheet, mention: number, at: number): Sheet =>
  changed(sheet, mention, (one) => ({ ...one, boxes: one.boxes.filter((_, index) => index !== at) }));

/** Take one side's chains over, in place of whatever the sheet says about their mentions. */
export function takeSide(sheet: Sheet, chains: Sheet, order: readonly number[]): Sheet {
  const taken = new Set(chains.flatMap((one) => one.mentions));
  const rest = sheet
    .map((one) => ({ ...one, mentions: one.mentions.filter((number) => !taken.has(number)) }))
    .filter((one) => one.mentions.length > 0);
  return sorted([...rest, ...chains], order);
}
