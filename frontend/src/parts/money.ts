/** Amounts of money, as the server writes them (pipeline/money/amounts.py), and the pay of a part of an assignment. */

import { lang } from "../t";

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
