/** The keys that pick a word of a caption. Only surveys load them. */

import { ARROWS, type Commands } from "./commands";
import { t } from "../t";

const PICK = { label: t("After Wrong: pick the word with this number") };
/** The digits that pick the words of a caption. */
export const WORDS: Commands = Object.fromEntries(Array.from("0123456789", (digit) => [digit, { keys: [digit], ...PICK }]));
/** Handled by the words themselves: parts/CaptionWords.tsx. For the help. */
export const STEPS = { steps: { keys: Object.keys(ARROWS), label: t("After Wrong: pick a word") } } as const satisfies Commands;
