import type { ComponentType } from "preact";

/** What an example says of itself: a right answer, a wrong one, or the answer that is right. */
export type Says = "right" | "wrong" | { answer: string };

/** A box on an example's picture, in its 120 x 80 units; `old`: one that was there before. */
export interface Mark {
  box: readonly [x: number, y: number, width: number, height: number];
  old?: boolean;
}

export interface Example {
  Scene: ComponentType;
  marks?: readonly Mark[];
  /** Captions; the phrase stands between asterisks. */
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
