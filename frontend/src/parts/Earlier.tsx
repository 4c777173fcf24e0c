import { answered } from "../state/assignment";
import type { Kept } from "../state/draft";
import type { Left } from "../state/use_earlier";
import { many, storedInWords } from "./words";

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
        From an earlier assignment: {storedInWords(left.receipt)}.
        <Press label="Close" onPress={onRead} />
      </p>
    );
  const { kept, refusal, stage } = left;
  const count = answered(kept.draft.entries);
  const answers = many(count, "answer");
  const [verb, them] = count === 1 ? ["was", "it"] : ["were", "them"];
  if (stage === "sending") return <p class="notice earlier">Sending {answers} from an earlier assignment …</p>;
  // "Keep" takes the place of "Discard", so that a double click throws nothing away.
  if (stage === "sure")
    return (
      <p class="notice earlier">
        Discard {answers} for good?
        <Press label="Discard for good" onPress={() => onDiscard(kept)} />
        <Press label="Keep" onPress={() => onChange({ ...left, stage: "found" })} />
      </p>
    );
  return (
    <p class="notice earlier">
      {answers} from an earlier assignment {verb} not sent. {refusal}
      {!refusal && <Press label={`Send ${them} now`} onPress={() => onSend(kept)} />}
      <Press label="Discard" onPress={() => onChange({ ...left, stage: "sure" })} />
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
