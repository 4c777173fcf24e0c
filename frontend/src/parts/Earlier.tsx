import { answered } from "../state/assignment";
import type { Kept } from "../state/draft";
import type { Left } from "../state/use_earlier";
import { storedInWords } from "./words";
import { many, t } from "../t";

interface Props {
  left: Left | null;
  onChange: (left: Left) => void;
  onSend: (kept: Kept) => void;
  onDiscard: (kept: Kept) => void;
  onRead: () => void;
}

/** A notice about unsent answers of an earlier assignment in this browser, and their result. */
export function Earlier({ left, onChange, onSend, onDiscard, onRead }: Props) {
  if (!left) return null;
  if (left.stage === "sent")
    return (
      <p class="notice earlier">
        {t("From an earlier assignment: {stored}.", { stored: storedInWords(left.receipt) })} {left.receipt.differs && left.receipt.message}
        <Press label={t("Close")} onPress={onRead} />
      </p>
    );
  const { kept, refusal, stage } = left;
  const count = answered(kept.draft.entries);
  if (stage === "sending") return (
      <p class="notice earlier">
        {many(count, "Sending {n} answer from an earlier assignment …", "Sending {n} answers from an earlier assignment …")}
      </p>
    );
  // "Keep" takes the place of "Discard", so that a double click throws nothing away.
  if (stage === "sure")
    return (
      <p class="notice earlier">
        {many(count, "Discard {n} answer for good?", "Discard {n} answers for good?")}
        <Press label={t("Discard for good")} onPress={() => onDiscard(kept)} />
        <Press label={t("Keep")} onPress={() => onChange({ ...left, stage: "found" })} />
      </p>
    );
  return (
    <p class="notice earlier">
      {many(count, "{n} answer from an earlier assignment was not sent.", "{n} answers from an earlier assignment were not sent.")} {refusal}
      {!refusal && <Press label={many(count, "Send it now", "Send them now")} onPress={() => onSend(kept)} />}
      <Press label={t("Discard")} onPress={() => onChange({ ...left, stage: "sure" })} />
    </p>
  );
}

function Press({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <button type="button" onClick={onPress}>
      {label}
    </button>
  );
}
