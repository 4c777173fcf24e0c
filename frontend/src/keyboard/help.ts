/** The keys of tables in words. */

import type { Commands } from "./commands";
import { isCharacter } from "./keys";

export interface Row {
  readonly label: string;
  readonly keys: readonly string[];
}

/** What keys do, each thing once, without the keys that are switched off. */
export function rowsOf(tables: readonly Commands[], characters: boolean): Row[] {
  const rows = new Map<string, string[]>();
  for (const { keys, label } of tables.flatMap((table) => Object.values(table))) {
    const acting = keys.filter((key) => characters || !isCharacter(key));
    if (acting.length) rows.set(label, [...new Set([...(rows.get(label) ?? []), ...acting])]);
  }
  return [...rows].map(([label, keys]) => ({ label, keys }));
}
