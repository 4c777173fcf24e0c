/** Tasks that the worker has met: they have seen the rule, in this browser or, as the server knows, by working on it. */

import type { Task } from "../api/types";

/** Where storage is forbidden: the tasks met since the page was loaded. */
const met = new Set<string>();

/** Browsers have kept this name since a tour of the page came first. */
const name = (task: Task): string => `chainbox tour ${task}`;

export function isMet(task: Task): boolean {
  try {
    return localStorage.getItem(name(task)) !== null;
  } catch {
    return met.has(task);
  }
}

export function rememberMet(task: Task): void {
  try {
    localStorage.setItem(name(task), "seen");
  } catch {
    met.add(task);
  }
}
