import type { ComponentType } from "preact";
import type { Answer, Question } from "../api/types";

export interface ScreenProps<A extends Answer = Answer> {
  question: Question;
  /** What the worker has answered so far; null: nothing yet. */
  answer: A | null;
  /** A decided answer: the shell stores it and goes on to the next question. */
  onAnswer: (answer: A) => void;
  /** Work in progress worth keeping: stored in the draft, the shell stays here. */
  onChange: (answer: A | null) => void;
  /** While sending, or when the lease has ended. */
  disabled: boolean;
  /** An example: the answer is there to be looked at, and nothing can be changed. */
  shown?: boolean;
}

export type Screen<A extends Answer = Answer> = ComponentType<ScreenProps<A>>;
