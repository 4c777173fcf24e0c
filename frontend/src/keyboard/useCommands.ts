/** Commands of a part of the page, for as long as the part is there. */

import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import type { Commands, Layer } from "./commands";
import { register, type Run } from "./listener";

export type Runs<C extends Commands> = { readonly [K in keyof C]?: Run | null };

/** Whether keys that type a character act: people can switch them off. */
export const CharacterKeys = createContext(true);

/** Let the keys of the commands call these functions. */
export function useCommands<C extends Commands>(commands: C, runs: Runs<C>, layer: Layer = "page"): void {
  const characters = useContext(CharacterKeys);
  const latest = useRef({ commands, runs, characters });
  latest.current = { commands, runs, characters };
  // Before painting, so that no key is lost between two questions.
  useLayoutEffect(() => register(() => latest.current, layer), []);
}
