/** The acts of an expert: their keys, and what each needs to be told. */

import { type Commands } from "../../keyboard/commands";
import { CHAIN_STEPS } from "../gold/tools";
import type { Bench, Chain, Check, DrawnBox, Wanted } from "./data";

/** What the form of an act asks for. */
export type Kind =
  | "confirm" | "back" | "accept" | "send" | "ask" | "review" | "link" | "join" | "part" | "draw" | "move" | "delete" | "keep" | "type" | "chunk" | "undo" | "redo";

interface ActOf {
  readonly kind: Kind;
  readonly key: string;
  readonly name: string;
  readonly about: string;
}

/** Of projects that check a data set. */
const CHECKING: readonly ActOf[] = [
  { kind: "confirm", key: "e", name: "Confirm", about: "the label is right as it is now; done at once" },
  { kind: "back", key: "b", name: "Take back", about: "the label is again as the data set has it" },
];
const ALWAYS: readonly ActOf[] = [
  { kind: "accept", key: "a", name: "Accept", about: "the chain is complete with its boxes" },
  { kind: "send", key: "s", name: "Send on", about: "the chain goes to any step, with empty tallies" },
  { kind: "ask", key: "o", name: "Ask others", about: "like Send on, and nobody who has answered is asked" },
  { kind: "review", key: "r", name: "To review", about: "the chain waits for an expert" },
  { kind: "draw", key: "d", name: "Draw a box", about: "a new accepted box of the chain" },
  { kind: "move", key: "m", name: "Move the box", about: "the chosen box gets another place" },
  { kind: "delete", key: "x", name: "Delete the box", about: "the chosen box is discarded" },
  { kind: "keep", key: "v", name: "Accept the box", about: "a discarded box counts after all" },
  { kind: "join", key: "g", name: "Join chains", about: "several chains become one" },
  { kind: "part", key: "p", name: "Part the chain", about: "some of its phrases become a chain of their own" },
  { kind: "link", key: "l", name: "Decide a link", about: "two phrases are the same or different, while linking" },
  { kind: "type", key: "t", name: "Change types", about: "the types of one phrase" },
  { kind: "chunk", key: "c", name: "Change phrases", about: "take phrases away, and make new ones" },
  { kind: "undo", key: "u", name: "Undo", about: "the last act is taken back" },
  { kind: "redo", key: "y", name: "Redo", about: "what was undone last is done again" },
];

export const actsOf = (bench: Bench): readonly ActOf[] => (bench.checks ? [...CHECKING, ...ALWAYS] : ALWAYS);
export const checkOf = (bench: Bench, chain: Chain | null): Check | null => bench.checks?.find((one) => chain && one.chains.includes(chain.name)) ?? null;

export const actCommands = (acts: readonly ActOf[]): Commands =>
  Object.fromEntries(acts.map(({ kind, key, name, about }) => [kind, { keys: [key], label: `${name}: ${about}` }]));
export const REVIEW = {
  ...CHAIN_STEPS,
  next: { keys: ["n"], label: "The next chain of the queue" },
  cancel: { keys: ["Escape"], label: "Cancel the act" },
} as const satisfies Commands;
/** Handled by the form of an act. For the help. */
export const ACTING: Commands = { send: { keys: ["Enter"], label: "Confirm the act whose effects are shown" } };

/** What has been filled in so far. */
export interface ActDraft {
  readonly kind: Kind;
  readonly to: string;
  readonly nonVisual: string;
  readonly chains: readonly number[];
  readonly mentions: readonly number[];
  readonly types: readonly string[];
  readonly same: boolean;
  readonly box: DrawnBox["box"] | null;
  /** A new phrase: caption, first word, last word, counted from 0. */
  readonly span: readonly [caption: number, first: number, last: number] | null;
}

/** Why an act is impossible now; empty if it is possible. */
export function missing(kind: Kind, bench: Bench, chain: Chain | null, box: DrawnBox | null): string {
  if (kind === "undo") return bench.undo === null ? "No act is left to undo." : "";
  if (kind === "redo") return bench.redo === null ? "Nothing was undone." : "";
  if (!bench.started) return "Linking has not begun: nothing of this image can be changed yet.";
  if (kind === "chunk") return "";
  if (!chain) return "Choose a chain first.";
  if (kind === "confirm") return checkOf(bench, chain) ? "" : "This label is still in question: settle the chain first.";
  if (kind === "back") return checkOf(bench, chain)?.before ? "" : "The check has changed nothing here that can be taken back at once.";
  const linking = chain.state === "linking";
  if (kind === "link") return linking ? "" : "This chain is linked already: join or part chains.";
  if (kind === "type") return "";
  if (kind === "review") return chain.state === "review" ? "This chain waits in review already." : "";
  if (linking) return "This chain is still being linked: decide its links.";
  if (kind === "part") return chain.mentions.length > 1 ? "" : "A chain of one phrase has no parts.";
  if (kind === "join") return bench.chains.length > 1 ? "" : "There is no other chain.";
  if (kind === "move" || kind === "delete") return box && box.state !== "discarded" ? "" : "Choose a box of this chain first (, and .).";
  if (kind === "keep") return box && box.state !== "accepted" ? "" : "Choose a discarded box first (, and .).";
  return "";
}

export function draftFor(kind: Kind, bench: Bench, chain: Chain | null, box: DrawnBox | null): ActDraft {
  const first = chain?.mentions[0];
  const types = bench.mentions.find((one) => one.number === first)?.types ?? [];
  const boxes = bench.boxes.some((one) => one.chain === chain?.name && one.state === "accepted");
  return {
    kind,
    to: kind === "accept" ? "complete" : boxes ? "coverage" : "drawing",
    nonVisual: "scene",
    chains: chain && kind === "join" ? [chain.name] : [],
    mentions: kind === "type" && first !== undefined ? [first] : kind === "link" && first !== undefined ? [first] : [],
    types: kind === "type" ? types : ["other"],
    same: true,
    box: kind === "move" ? (box?.box ?? null) : null,
    span: null,
  };
}

/** The act that a draft describes; null while something is missing. */
export function wantedOf(draft: ActDraft, bench: Bench, chain: Chain | null, box: DrawnBox | null): Wanted | null {
  const name = chain?.name;
  const { kind, to, mentions, chains, types, span } = draft;
  const [one, other] = mentions;
  switch (kind) {
    case "undo":
    case "redo": {
      const entry = kind === "undo" ? bench.undo : bench.redo;
      return entry === null ? null : { undo: entry };
    }
    case "confirm": {
      const check = checkOf(bench, chain);
      return check && { action: { action: "confirm", labels: check.labels } };
    }
    case "back": {
      const check = checkOf(bench, chain);
      return check?.before ? { action: { action: "take back", labels: check.before, was: check.labels } } : null;
    }
    case "accept":
      return { action: { action: "send", chain: name, to: "complete" } };
    case "send":
      return { action: { action: "send", chain: name, to, ...(to === "non-visual" ? { kind: draft.nonVisual } : {}) } };
    case "ask":
      return { action: { action: "ask others", chain: name, to } };
    case "review":
      return { action: { action: "review", chain: name } };
    case "draw":
      return draft.box && { action: { action: "draw", chain: name, box: draft.box } };
    case "move":
      return draft.box && box && draft.box.join() !== box.box.join() ? { action: { action: "move box", box: box.number, to: draft.box } } : null;
    case "delete":
      return box && { action: { action: "delete box", box: box.number } };
    case "keep":
      return box && { action: { action: "accept box", box: box.number } };
    case "join":
      return chains.length > 1 ? { action: { action: "join", chains } } : null;
    case "part": {
      const rest = (chain?.mentions ?? []).filter((number) => !mentions.includes(number));
      return mentions.length && rest.length ? { action: { action: "split", chain: name, parts: [rest, mentions] } } : null;
    }
    case "link":
      return one !== undefined && other !== undefined ? { action: { action: "link", first: one, second: other, same: draft.same } } : null;
    case "type":
      return one !== undefined && types.length ? { action: { action: "retype", mention: one, types } } : null;
    case "chunk": {
      const words = span && bench.captions[span[0]]?.words.slice(span[1], span[2] + 1);
      const add = span && words?.length && types.length ? [[bench.numbered, span[0], span[1], span[2] + 1, types, words.join(" ")]] : [];
      return add.length || mentions.length ? { action: { action: "rechunk", remove: mentions, add } } : null;
    }
  }
}
