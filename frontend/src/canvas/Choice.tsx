/** One large answer button, disabled while there is nothing to answer. */

import { Key, useActing } from "../keyboard/Key";

interface Props {
  readonly value: string;
  readonly keys: string;
  readonly label: string;
  /** Whether this is the given answer; undefined if the button only confirms the box on the picture. */
  readonly pressed?: boolean;
  readonly disabled: boolean;
  readonly onPress: () => void;
}

export function Choice({ value, keys, label, pressed, disabled, onPress }: Props) {
  return (
    <button
      type="button"
      class={pressed === undefined && !disabled ? "answer ready" : "answer"}
      data-answer={value}
      aria-pressed={pressed}
      aria-keyshortcuts={useActing()(keys)}
      disabled={disabled}
      onClick={onPress}
    >
      <Key name={keys} />
      <span>{label}</span>
    </button>
  );
}
