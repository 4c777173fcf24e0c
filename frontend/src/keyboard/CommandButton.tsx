/** A button with an icon that does what a command does, and names its key. */

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../canvas/Icon";
import type { Command } from "./commands";
import { useActing } from "./Key";
import { labelOf, useLayout } from "./layout";

interface Props {
  readonly of: Command;
  /** null: not now. */
  readonly run: (() => void) | null;
  readonly icon?: IconName;
  readonly kind?: string;
  /** In place of the command's label. */
  readonly name?: string;
  readonly pressed?: boolean;
  readonly children?: ComponentChildren;
}

export function CommandButton({ of, run, icon, kind = icon, name = of.label, pressed, children }: Props) {
  const key = useActing()(of.keys[0]);
  const layout = useLayout();
  return (
    <button
      type="button"
      class={`tool tool-${kind ?? ""}`}
      title={key === undefined ? name : `${name} (${labelOf(key, layout)})`}
      aria-label={name}
      aria-pressed={pressed}
      disabled={run === null}
      onClick={() => run?.()}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
