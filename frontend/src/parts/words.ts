/** Sentences about answers and comments. */

import type { Receipt } from "../api/types";

export const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** "2 answers stored, 1 skipped, 1 too late". */
export function storedInWords({ stored, skipped, too_late }: Receipt): string {
  const parts = [`${many(stored, "answer")} stored`];
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (too_late.length > 0) parts.push(`${too_late.length} too late`);
  return parts.join(", ");
}

/** A warning that comments at these places, without an answer, are not sent. */
export function commentsInWords(places: readonly number[]): string {
  const numbers = places.map((place) => String(place + 1));
  const last = numbers.pop() ?? "";
  const questions = numbers.length > 0 ? `questions ${numbers.join(", ")} and ${last}` : `question ${last}`;
  return `A comment is sent only with an answer: answer or skip ${questions}.`;
}
