/** An upload that broke off, remembered by this browser until the rest has come. */
import { plural } from "./page";
import type { Chosen, Here } from "./send";

export type Unfinished = { paths: string[]; folder: boolean };

const MOST_PATHS = 20_000;

function keyOf(address: string): string {
  return `upload ${address}`;
}

/** Remember what was chosen, before any of it is sent. */
export function remember(address: string, chosen: readonly Chosen[], folder: boolean): void {
  const paths = chosen.slice(0, MOST_PATHS).map((one) => one.path);
  try {
    localStorage.setItem(keyOf(address), JSON.stringify({ paths, folder } satisfies Unfinished));
  } catch {
    // A browser that keeps nothing tells nothing later.
  }
}

export function forget(address: string): void {
  try {
    localStorage.removeItem(keyOf(address));
  } catch {
    // Nothing was kept.
  }
}

export function remembered(address: string): Unfinished | null {
  try {
    return JSON.parse(localStorage.getItem(keyOf(address)) ?? "null") as Unfinished | null;
  } catch {
    return null;
  }
}

/** How far a broken upload came, and what to do; empty if all of it is here, or nothing any more. */
export function standing(one: Unfinished, here: Here): string {
  const sent = one.paths.filter((path) => here[path] && here[path][0] === here[path][1]).length;
  return sent && sent < one.paths.length ? broken(sent, one.paths.length, one.folder) : "";
}

export function broken(sent: number, all: number, folder: boolean): string {
  const again = folder ? "choose the same folder" : "choose the same files";
  return `${sent.toLocaleString("en")} of ${plural(all, "file")} sent: ${again} again, and the upload goes on.`;
}
