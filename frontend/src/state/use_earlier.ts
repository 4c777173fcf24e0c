/** Find unsent answers of an earlier assignment, then send or discard them. */

import { useEffect, useState } from "preact/hooks";
import type { Assignment, Receipt } from "../api/types";
import { isHeld, isTouched, tokensOf, type PageState } from "./assignment";
import type { Calls } from "./calls";
import { dropDraft, leftBehind, type Kept, type Where } from "./draft";

export type Left =
  /** `refusal`: why the server refused the answers; "" while that is not known. */
  | { stage: "found" | "sure" | "sending"; kept: Kept; refusal: string }
  | { stage: "sent"; receipt: Receipt };

const found = (kept: Kept | null): Left | null => kept && { stage: "found", kept, refusal: "" };

/** The token of the page's assignment; "" for none, null while that is not known. */
function givenTo(state: PageState): string | null {
  if (state.phase === "empty") return "";
  return isHeld(state) ? (state.assignment?.token ?? null) : null;
}

/** Whether the notice shows more than a find. Then it stays until the worker has read it, even with a new assignment. */
const mustStay = (left: Left | null): boolean => left !== null && (left.stage !== "found" || left.refusal !== "");

export function useEarlier(place: Where, held: Assignment | null, state: PageState, calls: Calls) {
  const [left, setLeft] = useState<Left | null>(null);
  const given = givenTo(state);
  const search = (): Left | null => found(leftBehind(place, tokensOf(state)));
  useEffect(() => {
    if (given !== null) setLeft((now) => (mustStay(now) ? now : search()));
  }, [given]);

  const send = async (kept: Kept): Promise<void> => {
    setLeft({ stage: "sending", kept, refusal: "" });
    const answer = await calls.sendEarlier(kept, state.entries.some(isTouched) ? null : held);
    if (!answer) setLeft(null);
    else if ("stored" in answer) setLeft({ stage: "sent", receipt: answer });
    else setLeft({ stage: "found", kept, refusal: answer.message });
  };
  const discard = ({ token }: Kept): void => {
    dropDraft(token);
    setLeft(search());
  };
  return { left, onChange: setLeft, onSend: (kept: Kept) => void send(kept), onDiscard: discard, onRead: () => setLeft(search()) };
}
