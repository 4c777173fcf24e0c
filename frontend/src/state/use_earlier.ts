/** Answers of an earlier assignment that were never sent: found, then sent or discarded. */

import { useEffect, useState } from "preact/hooks";
import type { Assignment, Receipt } from "../api/types";
import { isHeld, isTouched, type Sitting } from "./assignment";
import type { Calls } from "./calls";
import { dropDraft, leftBehind, type Kept, type Where } from "./draft";

export type Left =
  /** `refusal`: why the server takes none of it; "" while that is not known. */
  | { stage: "found" | "sure" | "sending"; kept: Kept; refusal: string }
  | { stage: "sent"; receipt: Receipt };

const found = (kept: Kept | null): Left | null => kept && { stage: "found", kept, refusal: "" };

/** What the page has been given: a token, "" for nothing, null while it does not know. */
function givenTo(sitting: Sitting): string | null {
  if (sitting.phase === "empty") return "";
  return isHeld(sitting) ? (sitting.assignment?.token ?? null) : null;
}

/** More than that something was found; it stays until the worker has read it, whatever the page is given meanwhile. */
const isTold = (left: Left | null): boolean => left !== null && (left.stage !== "found" || left.refusal !== "");

export function useEarlier(place: Where, held: Assignment | null, sitting: Sitting, calls: Calls) {
  const [left, setLeft] = useState<Left | null>(null);
  const given = givenTo(sitting);
  const search = (): Left | null => found(leftBehind(place, given ?? ""));
  useEffect(() => {
    if (given !== null) setLeft((now) => (isTold(now) ? now : search()));
  }, [given]);

  const send = async (kept: Kept): Promise<void> => {
    setLeft({ stage: "sending", kept, refusal: "" });
    const answer = await calls.sendEarlier(kept, sitting.entries.some(isTouched) ? null : held);
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
