/** The words of the page in the reader's language. English is the key, and what is shown where no translation is loaded. */

import type { ComponentChildren } from "preact";

/** A script of words/ that the server puts before the page's own fills this in. */
const { WORDS = {} } = globalThis as { WORDS?: Record<string, string> };

export const lang = document.documentElement.lang || "en";

/** The sentence in parts, where its values are not text: "Do {a} and {b} mean the same?" */
export const rich = (key: string, values: Record<string, ComponentChildren> = {}): ComponentChildren[] =>
  (WORDS[key] ?? key).split(/{(\w+)}/).map((part, i) => (i % 2 ? values[part] : part));

/** The sentence with its values. */
export const t = (key: string, values?: Record<string, string | number>): string => rich(key, values).join("");

/** One of two sentences, by the count, which is the value {n}. */
export const many = (n: number, one: string, more: string, values?: Record<string, string | number>): string =>
  t(n === 1 ? one : more, { n, ...values });
