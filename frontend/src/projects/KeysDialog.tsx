import type { Commands } from "../keyboard/commands";
import { Help } from "../keyboard/controls";
import type { useCharacterKeys } from "./keys";
import { Dialog } from "../ui/Dialog";

interface Props {
  readonly tables: readonly Commands[];
  readonly characters: ReturnType<typeof useCharacterKeys>;
  readonly onClose: () => void;
}

/** The keys of a page, and the switch of those that type a character. */
export function KeysDialog({ tables, characters: [on, set], onClose }: Props) {
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <label class="letters">
        <input type="checkbox" checked={on} onChange={(event) => set(event.currentTarget.checked)} /> One-letter keys <span class="hint">(off: no letter, digit or sign acts, in this browser)</span>
      </label>
      <Help tables={tables} />
    </Dialog>
  );
}
