import type { FunctionComponent } from "preact";
import type { Answer, Begun, Question } from "../api/types";
import type { Box } from "../geometry/box";
import type { Commands } from "../keyboard/commands";

export interface ScreenProps<A extends Answer = Answer> {
  question: Question;
  /** The worker's answer so far; null: none yet. */
  answer: Begun<A> | null;
  /** A final answer: the page stores it and goes on to the next question. */
  onAnswer: (answer: A) => void;
  /** Work in progress: the page keeps it in the draft and stays on this question. */
  onChange: (answer: Begun<A> | null) => void;
  /** While answers are being sent, or after the lease has ended. */
  disabled: boolean;
  /** An example that was answered: it is there to look at, and nothing can be changed. */
  shown?: boolean;
  /** Boxes to compare one's own with, dashed like accepted ones. */
  compared?: readonly Box[];
}

export type Screen<A extends Answer = Answer> = FunctionComponent<ScreenProps<A>>;

/** What the page knows of a task: its screen, and the commands of the screen for the help. */
export interface Known<A extends Answer = Answer> {
  readonly Shown: Screen<A>;
  readonly commands: readonly Commands[];
}
