/** Sentences about answers, comments and money. Amounts are as the server writes them (runtime/words.py). */

import type { Receipt } from "../../api/types";
import { answered, type PageState } from "../assignment";
import type { Session } from "../session";
import { lang, many, t } from "../../t";

/** "2 answers stored, 1 skipped, 1 too late". */
export function storedInWords({ stored, skipped, too_late }: Receipt): string {
  const parts = [many(stored, "{n} answer stored", "{n} answers stored")];
  if (skipped > 0) parts.push(t("{n} skipped", { n: skipped }));
  if (too_late > 0) parts.push(t("{n} too late", { n: too_late }));
  return parts.join(", ");
}

/** A warning that comments at these places, without an answer, are not sent. */
export function commentsInWords(places: readonly number[]): string {
  const numbers = places.map((place) => String(place + 1));
  const last = numbers.pop() ?? "";
  return numbers.length > 0
    ? t("A comment is sent only with an answer: answer or skip questions {first} and {last}.", { first: numbers.join(", "), last })
    : t("A comment is sent only with an answer: answer or skip question {last}.", { last });
}

/** What the answers of the assignment earn; empty: the assignment is unpaid. */
export function earnsInWords({ assignment, entries }: PageState): string {
  const { reward_cents: reward = 0, currency = "" } = assignment ?? {};
  if (!reward) return "";
  const [of, done] = [entries.length, answered(entries)];
  const amount = money(share(reward, done, of), currency);
  if (done === of) return t("This assignment earns {amount}.", { amount });
  const values = { amount, done, all: money(reward, currency) };
  return many(
    of,
    "This assignment earns {amount}: {done} of {n} question answered. All of them earn {all}.",
    "This assignment earns {amount}: {done} of {n} questions answered. All of them earn {all}.",
    values,
  );
}

/** What it costs to skip the current question. Nothing can be skipped in a test. */
export function skipInWords(state: PageState, session: Session | null): string {
  const { assignment, entries, index } = state;
  const { reward_cents: reward = 0, currency = "" } = assignment ?? {};
  if (!reward) return t("Skipping does not count against your score.");
  const left = entries.filter(({ skip }, i) => !skip || i === index).length;
  const [most = "", less = ""] = [left, left - 1].map((count) => money(share(reward, count, entries.length), currency));
  const costs = t(
    "Skipping does not count against your score, but a skipped question is not paid: this assignment then earns at most {less} instead of {most}.",
    { less, most },
  );
  return session ? `${costs} ${t("The {word} itself pays the same.", { word: session.word })}` : costs;
}

const SIGNS: Record<string, string> = { EUR: "€", GBP: "£", USD: "$" };

/** "$0.40"; currencies without a sign follow the amount: "0.40 CHF". In other languages as these write it: "0,40 $". */
export function money(cents: number, currency: string): string {
  if (lang !== "en" && currency) return new Intl.NumberFormat(lang, { style: "currency", currency }).format(cents / 100);
  const size = Math.abs(cents);
  const whole = String(Math.floor(size / 100)).replace(/\B(?=(\d{3})+$)/g, ",");
  const amount = `${whole}.${String(size % 100).padStart(2, "0")}`;
  const sign = SIGNS[currency];
  return `${cents < 0 ? "-" : ""}${sign ? `${sign}${amount}` : `${amount} ${currency}`.trim()}`;
}

/** The cents that an assignment earns by its answered questions, rounded as the server rounds. */
export const share = (reward: number, answered: number, of: number): number =>
  of > 0 ? Math.floor((2 * reward * answered + of) / (2 * of)) : 0;
