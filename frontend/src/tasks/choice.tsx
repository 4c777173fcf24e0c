import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { AnswerTo, Mistake, Question, Task } from "../api/types";
import { letterOf } from "../canvas/geometry/labels";
import { Stage } from "../canvas/Stage";
import { usePictureInSight } from "../labelling/sight";
import { Captions, captionsOf, pairMarks } from "../labelling/views/Captions";
import { Frame } from "../labelling/views/Frame";
import type { Judged, ScreenProps, TaskScreen } from "./task";
import { answerCommands, NEAR, ZOOM } from "../keyboard/commands";
import { Key, useActing, useCommands } from "../keyboard/controls";
import { t } from "../t";
import { Button } from "../ui/Button";

export interface Choice<A extends string | number> {
  value: A;
  label: string;
  /** The first is shown on the button. */
  keys: readonly string[];
  hint?: string;
}

interface AnswersProps<A extends string | number> {
  choices: readonly Choice<A>[];
  chosen: A | null;
  onAnswer: (answer: A) => void;
  disabled: boolean;
}

/** The choices as large buttons. The key of a choice works anywhere on the page. */
export function Answers<A extends string | number>({ choices, chosen, onAnswer, disabled }: AnswersProps<A>) {
  useCommands(answerCommands(choices), Object.fromEntries(choices.map(({ value }) => [value, disabled ? null : () => onAnswer(value)])));
  return (
    <div class="answers" role="group" aria-label={t("Your answer")}>
      {choices.map(({ value, label, keys: [key], hint }) => (
        <AnswerButton value={value} keys={key ?? ""} label={label} hint={hint} pressed={chosen === value} disabled={disabled} onPress={() => onAnswer(value)} />
      ))}
    </div>
  );
}

interface AnswerButtonProps {
  readonly value: string | number;
  readonly keys: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Whether this is the given answer; undefined if the button only confirms the box on the picture. */
  readonly pressed?: boolean;
  readonly disabled: boolean;
  readonly onPress: () => void;
}

export function AnswerButton({ value, keys, label, hint, pressed, disabled, onPress }: AnswerButtonProps) {
  return (
    <Button
      class={pressed === undefined && !disabled ? "answer ready" : "answer"}
      data-answer={value}
      aria-pressed={pressed}
      aria-keyshortcuts={useActing()(keys)}
      disabled={disabled}
      onClick={onPress}
    >
      <Key name={keys} />
      <span>
        {label}
        {hint && <small>{hint}</small>}
      </span>
    </Button>
  );
}

/** The answers to choose from: a sweep's are of another shape. */
type ChoiceOf<T extends Task> = Extract<AnswerTo<T>, string | number>;

/** The tasks whose answer is one of a few. */
type ChoiceName = { [T in Task]: [ChoiceOf<T>] extends [never] ? never : T }[Task];

interface ChoiceTask<T extends ChoiceName> extends Pick<TaskScreen<T>, "rule" | "mistakes" | "mistakeIn"> {
  readonly ask: (question: Question) => ComponentChildren;
  readonly choices: readonly Choice<ChoiceOf<T>>[];
  /** What those hear who cannot see the picture. */
  readonly picture?: string;
  /** The question is about the new box, which is marked and zoomed to. */
  readonly isNear?: true;
  /** Letters of the boxes, beside the picture. */
  readonly hasLetters?: true;
  /** The phrases are called A and B. */
  readonly isPair?: true;
}

/** For two answers: the mistake that each is where it is wrong. */
export const byAnswer =
  <A extends string>(wrong: Record<A, Mistake>) =>
  ({ answer: right }: Judged, answer: A): Mistake | null =>
    answer === right ? null : wrong[answer];

/** One picture, one question, a few answers. */
export function choiceTask<T extends ChoiceName>({ ask, choices, picture = t("The picture"), isNear, hasLetters, isPair, ...rest }: ChoiceTask<T>): TaskScreen<T> {
  function Screen({ question, answer, onAnswer, disabled }: ScreenProps<AnswerTo<T>>) {
    const { image, boxes, new_box: box } = question;
    const [lit, setLit] = useState(0);
    const near = isNear && { marked: box ? [{ box, tag: t("new"), look: "new" as const }] : [], near: box, startNear: true };
    return (
      <Frame picture={<Stage image={image} label={picture} boxes={boxes} lit={lit} onLoading={usePictureInSight()} {...near} />} ask={ask(question)}>
        <Captions {...captionsOf(question)} mark={isPair && pairMarks(question.captions)} />
        {hasLetters && <BoxLetters count={boxes.length} lit={lit} onLit={setLit} />}
        <Answers choices={choices} chosen={answer as ChoiceOf<T> | null} onAnswer={onAnswer} disabled={disabled} />
      </Frame>
    );
  }
  return { Screen, commands: [answerCommands(choices), ...(isNear ? [NEAR] : []), ZOOM], ...rest };
}

interface LettersProps {
  readonly count: number;
  readonly lit: number;
  readonly onLit: (number: number) => void;
}

/** The letters of the boxes. Pointing at a letter or pressing it highlights its box. */
function BoxLetters({ count, lit, onLit }: LettersProps) {
  const name = useId();
  if (count === 0) return null;
  return (
    <div class="boxletters" role="group" aria-labelledby={name} onPointerLeave={() => onLit(0)}>
      <span id={name}>{t("Boxes so far:")}</span>
      {Array.from({ length: count }, (_, index) => index + 1).map((number) => (
        <Button
          key={number}
          aria-label={t("Box {letter}", { letter: letterOf(number) })}
          aria-pressed={lit === number}
          onPointerEnter={() => onLit(number)}
          onFocus={() => onLit(number)}
          onBlur={() => onLit(0)}
          onClick={() => onLit(number)}
        >
          {letterOf(number)}
        </Button>
      ))}
    </div>
  );
}
