import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "../state/keys";

/** A button that has the focus and is pressed by Enter from anywhere. */
export function Primary({ label, onPress }: { label: string; onPress: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus({ preventScroll: true }), []);
  useKeys({ Enter: onPress });
  return (
    <button ref={button} type="button" class="primary" data-next onClick={onPress}>
      {label} <kbd>Enter</kbd>
    </button>
  );
}
