/** Words of the chunk with_parts.ts, which few projects load. They are added before that chunk reads its own. */

import { lang } from "../../t";
import de from "./de.json";

const OTHERS: Record<string, Record<string, string>> = { de };
const { WORDS } = globalThis as { WORDS?: Record<string, string> };

if (WORDS) Object.assign(WORDS, OTHERS[lang]);
