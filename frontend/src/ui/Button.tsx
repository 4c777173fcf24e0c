import type { ButtonHTMLAttributes } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { MAIN } from "../keyboard/commands";
import { useCommands } from "../keyboard/controls";

/** A button that sends no form. */
export const Button = (props: ButtonHTMLAttributes) => <button type="button" {...props} />;

interface Props {
  label: string;
  onPress: () => void;
  /** What the button does, for scripts that drive the page. */
  name?: "next" | "finish";
}

/** The main button: it has the focus, and Enter presses it from anywhere. */
export function Primary({ label, onPress, name = "next" }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus({ preventScroll: true }), []);
  useCommands(MAIN, { press: onPress });
  return (
    <button ref={button} type="button" class="primary" {...{ [`data-${name}`]: true }} onClick={onPress}>
      {label} <kbd>Enter</kbd>
    </button>
  );
}
