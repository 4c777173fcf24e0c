import type { ComponentType } from "preact";

/** The verdict on an example: right, wrong, or the answer that would be right. */
export type Says = "right" | "wrong" | { answer: string };

/** A box on an example's picture, in its 120 x 80 units; `old`: an accepted box. */
export interface Mark {
  box: readonly [x: number, y: number, width: number, height: number];
  old?: boolean;
}

export interface Example {
  Scene: ComponentType;
  marks?: readonly Mark[];
  /** Captions, with the phrase between asterisks. */
  captions: readonly string[];
  says: Says;
  why: string;
}

export interface Rule {
  title: string;
  sentences: readonly string[];
  examples: readonly Example[];
  keys: readonly (readonly [keys: string, does: string])[];
}
