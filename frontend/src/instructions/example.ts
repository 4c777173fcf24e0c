import type { Answer, Question } from "../api/types";

/** x, y, width and height in the 120 x 80 units of an example's picture. */
export type Rectangle = readonly [x: number, y: number, width: number, height: number];

export interface Sketch {
  /** The address of the picture. */
  scene: string;
  /** Captions, with the phrase between asterisks. */
  captions: readonly string[];
  /** Accepted boxes. */
  old?: readonly Rectangle[];
  /** The new box. */
  box?: Rectangle;
  /** The right answer; null: the new box is wrong, and there is nothing to try. */
  answer: Answer | "draw" | null;
  /** What a survey asks, in place of captions. */
  survey?: NonNullable<Question["survey"]>;
  /** The answer in words, where the page has none for it. */
  said?: string;
  why: string;
}

export interface Rule {
  title: string;
  sentences: readonly string[];
  /** The one gesture that the task needs. */
  gesture: string;
  examples: readonly Sketch[];
}
