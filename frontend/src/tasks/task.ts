/** A task is its screen, its keys and its rule; an entry says which tasks its pages have. */

import { createContext, type FunctionComponent } from "preact";
import { useContext } from "preact/hooks";
import type { Answer, AnswerTo, Begun, Example, Mistake, Question, Task } from "../api/types";
import type { Box } from "../canvas/geometry/box";
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
  /** What the worker answered to an example, which is there to look at now: nothing can be changed. */
  tried?: A | null;
  /** Boxes to compare one's own with, dashed like accepted ones. */
  compared?: readonly Box[];
}

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
  /** The first phrase is A of a sweep, and the others are its candidates. */
  sweep?: true;
  /** What a survey asks, in place of captions. */
  survey?: NonNullable<Question["survey"]>;
  /** The answer in words, where no button says it. */
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

/** What an answer to an example is judged by. */
export type Judged = Pick<Example, "answer" | "missing" | "sweep">;

export interface TaskScreen<T extends Task> {
  readonly Screen: FunctionComponent<ScreenProps<AnswerTo<T>>>;
  /** For the help. */
  readonly commands: readonly Commands[];
  readonly rule: Rule;
  /** Its kinds of mistakes, as the server names them, in words. */
  readonly mistakes: Partial<Record<Mistake, string>>;
  /** The mistake in an answer to an example, by the rule of the server's tests; null: it is right. */
  readonly mistakeIn: (example: Judged, answer: AnswerTo<T>) => Mistake | null;
}

/** A task that is missing does not compile. */
export type Tasks = { readonly [T in Task]: TaskScreen<T> };

/** The tasks of the page. */
export const TasksContext = createContext<Partial<Tasks>>({});

/** The server sees to it that an answer belongs to its task. */
export const useTask = (task: Task): TaskScreen<Task> => useContext(TasksContext)[task] as unknown as TaskScreen<Task>;
