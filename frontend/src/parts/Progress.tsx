import { isCheck, isDone, isDrawn, type Entry } from "../state/assignment";
import { t } from "../t";

interface Props {
  entries: readonly Entry[];
  index: number;
  onGo: (index: number) => void;
}

function stateOf(entry: Entry): string {
  if (entry.skip) return "skipped";
  return isDone(entry) ? "answered" : isDrawn(entry) ? (isCheck(entry) ? "begun" : "drawn") : "open";
}

const IN_WORDS: Record<string, string> = {
  skipped: t("skipped"),
  answered: t("answered"),
  drawn: t("drawn, not confirmed"),
  begun: t("begun, not finished"),
  open: t("open"),
};

/** "3 of 10", and a dot for each question that leads to it. */
export function Progress({ entries, index, onGo }: Props) {
  return (
    <nav class="progress" aria-label={t("Questions")}>
      <span class="count">{index < entries.length ? t("{i} of {n}", { i: index + 1, n: entries.length }) : t("Summary")}</span>
      <ol class="dots">
        {entries.map((entry, i) => (
          <li key={i}>
            <button
              type="button"
              class={`dot ${stateOf(entry)}`}
              aria-label={t("Question {i}, {state}", { i: i + 1, state: IN_WORDS[stateOf(entry)] ?? "" })}
              aria-current={i === index ? "step" : undefined}
              onClick={() => onGo(i)}
            />
          </li>
        ))}
      </ol>
    </nav>
  );
}
