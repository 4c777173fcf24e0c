/** What the workbench and the server exchange. */

import type { Returned, Taken } from "../../api/call";
import { request } from "../../api/client";

export type Bench = Returned<"workbench">;
export type WordedCaption = Bench["captions"][number];
export type Mention = Bench["mentions"][number];
export type Chain = Bench["chains"][number];
export type DrawnBox = Bench["boxes"][number];
export type Check = NonNullable<Bench["checks"]>[number];
/** A chain as it is shown: its name, the number and the colour by which people know it, and its phrases. */
export type Named = Pick<Chain, "name" | "number" | "colour" | "mentions">;
/** An act of an expert, as the rules take it; or the number of an entry to undo. */
export type Wanted = Taken<"preview_act">;
export type Effects = Returned<"preview_act">;

/** The words of phrases, by their numbers. */
export const textsOf = (mentions: readonly Mention[], numbers: readonly number[]): string =>
  numbers.map((number) => mentions.find((one) => one.number === number)?.text ?? "?").join(" · ");
export const boxCount = (number: number): string => (number === 1 ? "1 box" : `${String(number)} boxes`);

export interface Place {
  readonly address: string;
  readonly query: string;
  readonly queue: Taken<"act_on_image">["queue"];
}
export const loadBench = ({ address, query }: Place): Promise<Bench> => request<"workbench">(`${address}?${query}`);
export const previewAct = ({ address }: Place, wanted: Wanted): Promise<Effects> => request<"preview_act">(`${address}preview/`, { body: wanted });
export const act = ({ address, queue }: Place, wanted: Wanted, sequence: number, reason: string, chain: number | null): Promise<Bench> =>
  request<"act_on_image">(address, { body: { ...wanted, sequence, reason, chain, queue } });
