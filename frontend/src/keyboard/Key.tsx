import { labelOf, useLayout } from "./layout";

/** The label of a key. */
export function Key({ name }: { name: string }) {
  return <kbd>{labelOf(name, useLayout())}</kbd>;
}
