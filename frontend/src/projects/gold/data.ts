/** What the page of one image reads and sends. */

import type { Bench, Caption, Mention } from "../review/data";
import type { Sheet } from "./sheet";

export interface Side {
  readonly name: string;
  readonly chains: Sheet;
}
/** What two annotators disagree on. */
export interface Dispute {
  readonly about: "phrases" | "boxes";
  readonly mentions: readonly number[];
  readonly sides: readonly Side[];
}
export interface Standing {
  readonly revision: number;
  readonly settles: boolean;
  readonly finished: boolean;
  /** The address of the next image that waits; null: none does. */
  readonly next: string | null;
}
export interface GoldImage extends Standing {
  readonly image: Bench["image"];
  readonly captions: readonly Caption[];
  readonly mentions: readonly Mention[];
  readonly chains: Sheet;
  readonly disputes: readonly Dispute[];
}
export interface Place {
  readonly address: string;
  readonly token: string;
}

/** The server's sentence about what is wrong. */
export class Problem extends Error {}

async function request<T>({ address, token }: Place, body?: unknown): Promise<T> {
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { "X-CSRFToken": token, "Content-Type": "application/json" };
  const response = await fetch(address, { ...post, headers, credentials: "same-origin" }).catch(() => {
    throw new Problem("The service cannot be reached. Check the connection; your changes are kept on this page.");
  });
  const reply: unknown = await response.json().catch(() => ({}));
  if (response.ok) return reply as T;
  const said = (reply as { problem?: string }).problem;
  throw new Problem(said ?? `The service refused this (${String(response.status)}). Reload the page and sign in again.`);
}

export const load = (place: Place): Promise<GoldImage> => request(place);
export const send = (place: Place, chains: Sheet, revision: number, finish: boolean): Promise<Standing> =>
  request(place, { chains, revision, finish });
