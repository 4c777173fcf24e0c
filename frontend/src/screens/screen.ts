import type { FunctionComponent } from "preact";
import type { Answer, Question } from "../api/types";

export interface ScreenProps<A extends Answer = Answer> {
  question: Question;
  /** The worker's answer so far; null: none yet. */
  answer: A | null;
  /** A final answer: the page stores it and goes on to the next question. */
  onAnswer: (answer: A) => void;
  /** Work in progress: the page keeps it in the draft and stays on this question. */
  onChange: (answer: A | null) => void;
  /** While answers are being sent, or after the lease has ended. */
  disabled: boolean;
  /** An example: the answer is there to look at, and nothing can be changed. */
  shown?: boolean;
}

export type Screen<A extends Answer = Answer> = FunctionComponent<ScreenProps<A>>;
