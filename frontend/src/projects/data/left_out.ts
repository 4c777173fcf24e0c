/** What an upload left out: one line for each reason, with the names below it. */
import type { Refused } from "./send";

const MOST_NAMED = 200;

/** The names by their reason, the commonest reason first. */
export function byReason(refused: readonly Refused[]): [reason: string, names: string[]][] {
  const found = new Map<string, string[]>();
  for (const { path, why } of refused) {
    found.set(why, [...(found.get(why) ?? []), path]);
  }
  return [...found].sort(([, one], [, other]) => other.length - one.length);
}

/** Show the reasons in this place: a line for a single file, otherwise a line that opens to the names. */
export function showReasons(place: HTMLElement, reasons: readonly (readonly [string, readonly string[]])[]): void {
  place.hidden = !reasons.length;
  place.replaceChildren(...reasons.map(([reason, names]) => line(reason, names)));
}

function line(reason: string, names: readonly string[]): HTMLElement {
  if (names.length === 1) {
    const single = document.createElement("p");
    single.textContent = `${names[0]} ${reason}`;
    return single;
  }
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = `${names.length.toLocaleString("en")} files: each ${reason}`;
  const list = document.createElement("ul");
  list.className = "names";
  for (const name of names.slice(0, MOST_NAMED)) {
    const item = document.createElement("li");
    item.textContent = name;
    list.append(item);
  }
  if (names.length > MOST_NAMED) {
    const more = document.createElement("li");
    more.textContent = `and ${(names.length - MOST_NAMED).toLocaleString("en")} more`;
    list.append(more);
  }
  details.append(summary, list);
  return details;
}
