import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "../state/keys";

interface Props {
  label: string;
  onPress: () => void;
  /** What it does, for scripts that drive the page. */
  name?: "next" | "finish";
}

/** A button that has the focus and is pressed by Enter from anywhere. */
export function Primary({ label, onPress, name = "next" }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus({ preventScroll: true }), []);
  useKeys({ Enter: onPress });
  return (
    <button ref={button} type="button" class="primary" {...{ [`data-${name}`]: true }} onClick={onPress}>
      {label} <kbd>Enter</kbd>
    </button>
  );
}
