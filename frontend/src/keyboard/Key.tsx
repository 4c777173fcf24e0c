import { useContext } from "preact/hooks";
import { isCharacter } from "./keys";
import { labelOf, useLayout } from "./layout";
import { CharacterKeys } from "./useCommands";

/** Returns the name of a key if it acts, for `aria-keyshortcuts`; nothing if the worker has switched it off. */
export function useActing(): (name: string | undefined) => string | undefined {
  const characters = useContext(CharacterKeys);
  return (name) => (name !== undefined && (characters || !isCharacter(name)) ? name : undefined);
}

/** The label of a key, if it acts. */
export function Key({ name }: { name: string | undefined }) {
  const label = labelOf(name ?? "", useLayout());
  return useActing()(name) === undefined ? null : <kbd>{label}</kbd>;
}
