import { answersOf } from "../keyboard/commands";
import { Key, useActing } from "../keyboard/Key";
import { useCommands } from "../keyboard/useCommands";
import { t } from "../t";

export interface Choice<A extends string | number> {
  value: A;
  label: string;
  /** The first is shown on the button. */
  keys: readonly string[];
  hint?: string;
}

interface Props<A extends string | number> {
  choices: readonly Choice<A>[];
  chosen: A | null;
  onAnswer: (answer: A) => void;
  disabled: boolean;
}

/** The choices as large buttons. The key of a choice works anywhere on the page. */
export function Answers<A extends string | number>({ choices, chosen, onAnswer, disabled }: Props<A>) {
  const acting = useActing();
  useCommands(answersOf(choices), Object.fromEntries(choices.map(({ value }) => [value, disabled ? null : () => onAnswer(value)])));
  return (
    <div class="answers" role="group" aria-label={t("Your answer")}>
      {choices.map(({ value, label, keys: [key], hint }) => (
        <button
          type="button"
          class="answer"
          data-answer={value}
          aria-pressed={chosen === value}
          aria-keyshortcuts={acting(key)}
          disabled={disabled}
          onClick={() => onAnswer(value)}
        >
          <Key name={key} />
          <span>
            {label}
            {hint && <small>{hint}</small>}
          </span>
        </button>
      ))}
    </div>
  );
}
