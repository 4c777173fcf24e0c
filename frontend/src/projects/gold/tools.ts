/** The commands of the page of one image. */

import { type Command, type Commands, DRAWING, NEAR, ZOOM } from "../../keyboard/commands";

interface Named extends Command {
  readonly name: string;
}
const tool = (key: string, name: string, about: string): Named => ({ keys: [key], name, label: `${name}: ${about}` });

/** Those that have a button below the picture. */
export const TOOLS = {
  link: tool("l", "Link phrases", "the phrases that you press join the chosen chain, or leave it"),
  draw: tool("d", "Draw boxes", "one box around each thing that the chain means"),
  none: tool("n", "No box", "nothing in the picture to draw a box around"),
  scene: tool("s", "Scene", "the chain is the place as a whole"),
  remove: tool("x", "Remove the box", "the chosen box, or the chain's last one"),
  undo: tool("u", "Undo", "the last change is taken back"),
  redo: tool("y", "Redo", "what was undone last is done again"),
  finish: tool("f", "Finish", "the annotation of this image counts"),
} as const;
export type SheetTool = keyof typeof TOOLS;

/** From chain to chain and from box to box. */
export const CHAIN_STEPS = {
  nextChain: { keys: ["ArrowDown", "j"], label: "The next chain", repeats: true },
  previousChain: { keys: ["ArrowUp", "k"], label: "The previous chain", repeats: true },
  nextBox: { keys: ["."], label: "The next box of the chain", repeats: true },
  previousBox: { keys: [","], label: "The previous box of the chain", repeats: true },
  help: { keys: ["?"], label: "These keys" },
} as const satisfies Commands;

export const GOLD = {
  ...TOOLS,
  ...CHAIN_STEPS,
  next: { keys: ["g"], label: "The next image" },
  leave: { keys: ["Escape"], label: "End drawing or linking; a box that is not confirmed goes" },
} as const satisfies Commands;

const whileDrawing = (tables: readonly Commands[]): Commands[] =>
  tables.map((table) => Object.fromEntries(Object.entries(table).map(([name, one]) => [name, { ...one, label: `While drawing: ${one.label.charAt(0).toLowerCase()}${one.label.slice(1)}` }])));
/** The keys of the picture, in which boxes are drawn now and then. */
export const PICTURE: readonly Commands[] = [ZOOM, NEAR, ...whileDrawing([DRAWING])];
