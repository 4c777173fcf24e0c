/** A button beside the picture, with an icon, a name, and the key that does the same. */

import type { ComponentChildren } from "preact";
import { labelOf, useLayout } from "./layout";
import { Icon, type IconName } from "../canvas/Icon";

interface Props {
  readonly icon?: IconName;
  readonly kind?: string;
  readonly name: string;
  readonly keys: string;
  readonly onPress: () => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly children?: ComponentChildren;
}

export function CommandButton({ icon, kind = icon, name, keys, onPress, disabled = false, pressed, children }: Props) {
  return (
    <button
      type="button"
      class={`tool tool-${kind ?? ""}`}
      title={`${name} (${labelOf(keys, useLayout())})`}
      aria-label={name}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onPress}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
