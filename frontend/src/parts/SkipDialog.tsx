import { useState } from "preact/hooks";
import type { SkipReason } from "../api/types";
import { COMMENT_LENGTH } from "./Comment";
import { Dialog } from "./Dialog";

const REASONS: readonly [SkipReason, string][] = [
  ["picture", "The picture is missing, or I cannot make out what it shows"],
  ["unclear", "I do not understand the question"],
  ["uncomfortable", "I would rather not look at this"],
  ["other", "Another reason"],
];

interface Props {
  comment: string;
  onSkip: (reason: SkipReason, comment: string) => void;
  onClose: () => void;
}

export function SkipDialog({ comment, onSkip, onClose }: Props) {
  const [words, setWords] = useState(comment);
  return (
    <Dialog title="Leave this question to others" onClose={onClose}>
      <p>Why? Skipping does not count against you.</p>
      <div class="reasons">
        {REASONS.map(([reason, label]) => (
          <button type="button" data-skip={reason} onClick={() => onSkip(reason, words)}>
            {label}
          </button>
        ))}
      </div>
      <label class="field">
        Anything to add? (optional)
        <input value={words} maxLength={COMMENT_LENGTH} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
