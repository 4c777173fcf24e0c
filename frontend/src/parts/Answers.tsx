import { useKeys, type Keys } from "../keyboard/keys";
import { Key } from "../keyboard/Key";
import { t } from "../t";

export interface Choice<A extends string | number> {
  value: A;
  label: string;
  /** The key shown on the button. */
  key: string;
  /** A second key, not shown: the first letter of yes or no. */
  also?: string;
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
  const keys: Keys = {};
  for (const { value, key, also } of disabled ? [] : choices)
    for (const name of [key, also]) if (name) keys[name] = () => onAnswer(value);
  useKeys(keys);
  return (
    <div class="answers" role="group" aria-label={t("Your answer")}>
      {choices.map(({ value, label, key, hint }) => (
        <button
          type="button"
          class="answer"
          data-answer={value}
          aria-pressed={chosen === value}
          aria-keyshortcuts={key}
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
