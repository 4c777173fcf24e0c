/** One large answer button that can be pressed only when there is something to answer. */

interface Props {
  readonly value: string;
  readonly keys: string;
  readonly label: string;
  /** Whether it is the answer given; undefined where pressing it only confirms what is on the picture. */
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
      aria-keyshortcuts={keys}
      disabled={disabled}
      onClick={onPress}
    >
      <kbd>{keys}</kbd>
      <span>{label}</span>
    </button>
  );
}
