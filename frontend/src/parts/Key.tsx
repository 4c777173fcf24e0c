import { labelOf, useLayout } from "../state/keyboard";

/** The label of a key. */
export function Key({ name }: { name: string }) {
  return <kbd>{labelOf(name, useLayout())}</kbd>;
}
