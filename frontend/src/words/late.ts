/** Words of chunks that few projects load. */

import { lang } from "../t";

const LANGUAGES = import.meta.glob<object>("./late/*.json", { import: "default" });

/** Load them, before such a chunk reads its own. */
export async function addLateWords(): Promise<void> {
  const { WORDS } = globalThis as { WORDS?: object };
  if (WORDS) Object.assign(WORDS, await LANGUAGES[`./late/${lang}.json`]?.());
}
