import { useState } from "preact/hooks";
import type { SkipReason } from "../api/types";
import { COMMENT_LENGTH } from "./Comment";
import { Dialog } from "./Dialog";

const REASONS: readonly [SkipReason, string][] = [
  ["picture", "The picture is missing or cannot be made out"],
  ["unclear", "It is unclear what is asked"],
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
      <p>Why? Nobody will hold it against you.</p>
      <div class="reasons">
        {REASONS.map(([reason, label]) => (
          <button type="button" data-skip={reason} onClick={() => onSkip(reason, words)}>
            {label}
          </button>
        ))}
      </div>
      <label class="field">
        A word about it, if you like
        <input value={words} maxLength={COMMENT_LENGTH} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
