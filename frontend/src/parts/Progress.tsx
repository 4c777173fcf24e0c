import { isDone, isDrawn, type Entry } from "../state/assignment";

interface Props {
  entries: readonly Entry[];
  index: number;
  onGo: (index: number) => void;
}

function stateOf(entry: Entry): string {
  if (entry.skip) return "skipped";
  return isDone(entry) ? "answered" : isDrawn(entry) ? "drawn" : "open";
}

const IN_WORDS: Record<string, string> = { drawn: "drawn, not confirmed" };

/** "3 of 10", and a dot for each question that leads to it. */
export function Progress({ entries, index, onGo }: Props) {
  return (
    <nav class="progress" aria-label="Questions">
      <span class="count">{index < entries.length ? `${index + 1} of ${entries.length}` : "Summary"}</span>
      <ol class="dots">
        {entries.map((entry, i) => (
          <li key={i}>
            <button
              type="button"
              class={`dot ${stateOf(entry)}`}
              aria-label={`Question ${i + 1}, ${IN_WORDS[stateOf(entry)] ?? stateOf(entry)}`}
              aria-current={i === index ? "step" : undefined}
              onClick={() => onGo(i)}
            />
          </li>
        ))}
      </ol>
    </nav>
  );
}
