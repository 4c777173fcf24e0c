import { useEffect, useState } from "preact/hooks";
import { answered, type Entry, isBegun, isDone, isDrawn, isHeld, isTest } from "../assignment";
import type { PageContext } from "../calls";
import type { Opened } from "./Dialogs";
import { PAGE } from "../../keyboard/commands";
import { Key } from "../../keyboard/controls";
import { many, t } from "../../t";
import { leftInWords } from "../time";
import { Icon } from "../../ui/Icon";
import type { Work } from "../use_work";
import { money } from "./words";
import { Button } from "../../ui/Button";

/** The project, the progress, the time left, and the help. */
export function Header({ context, work, onOpen }: { context: PageContext; work: Work; onOpen: (dialog: Opened) => void }) {
  const { phase, entries, index, ended } = work.state;
  const held = isHeld(work.state);
  const going = held && phase !== "learning";
  return (
    <header class="top">
      <Brand {...context} />
      {held && isTest(work.state) && (
        <span class="test"><span class="word">{t("Qualification")}</span> {t("test")}</span>
      )}
      {going && <ProgressDots entries={entries} index={index} onGo={(to) => work.act({ type: "go", index: to })} />}
      {going && <OutgoingNote work={work} />}
      {held && !ended && <LeaseTimer ends={work.ends} onEnd={() => work.act({ type: "time is up" })} />}
      <Button class="plain help" data-help onClick={() => onOpen("help")}>{PAGE.help.label} <Key name={PAGE.help.keys[0]} /></Button>
      <Button class="plain settings" data-settings aria-label={t("Settings")} title={t("Settings")} onClick={() => onOpen("settings")}>
        <Icon name="settings" />
      </Button>
    </header>
  );
}

/** The project's name, as a link home if there is one. */
function Brand({ title, home }: PageContext) {
  const inside = (
    <>
      <span class="mark" aria-hidden="true" />
      <span>{title}</span>
    </>
  );
  if (!home) return <span class="brand">{inside}</span>;
  return (
    <a class="brand" href={home} title={t("Home")}>{inside}</a>
  );
}

interface ProgressProps {
  entries: readonly Entry[];
  index: number;
  onGo: (index: number) => void;
}

function stateOf(entry: Entry): string {
  if (entry.skip) return "skipped";
  return isDone(entry) ? "answered" : isDrawn(entry) ? (isBegun(entry) ? "begun" : "drawn") : "open";
}

const IN_WORDS: Record<string, string> = {
  skipped: t("skipped"),
  answered: t("answered"),
  drawn: t("drawn, not confirmed"),
  begun: t("begun, not finished"),
  open: t("open"),
};

/** "3 of 10", and a dot for each question that leads to it. */
function ProgressDots({ entries, index, onGo }: ProgressProps) {
  return (
    <nav class="progress" aria-label={t("Questions")}>
      <span class="count">{index < entries.length ? t("{i} of {n}", { i: index + 1, n: entries.length }) : t("Summary")}</span>
      <ol class="dots">
        {entries.map((entry, i) => (
          <li key={i}>
            <Button
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

const SOON = 120;

/** The time left, inconspicuous until it is short. Calls `onEnd` when it has run out. `ends`: milliseconds since 1970. */
function LeaseTimer({ ends, onEnd }: { ends: number; onEnd: () => void }) {
  const [left, setLeft] = useState(() => ends - Date.now());
  useEffect(() => {
    const look = (): void => {
      setLeft(ends - Date.now());
      if (ends <= Date.now()) onEnd();
    };
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [ends]);
  const seconds = Math.max(0, left / 1000);
  return (
    <span class={seconds < SOON ? "lease soon" : "lease"}>
      <span role="timer">{leftInWords(seconds)}</span> <span class="word">{t("left")}</span>
      <span class="unseen" role="status">
        {seconds < SOON ? t("Less than two minutes left for this assignment.") : ""}
      </span>
    </span>
  );
}

/** What happens to the last assignment: it goes out soon and can be taken back, or it is stored. */
function OutgoingNote({ work: { state, act } }: { work: Work }) {
  const { outgoing, gone, index, assignment } = state;
  if (outgoing && !outgoing.sending)
    return (
      <span class="outgoing">
        <span class="unseen" role="status">{many(answered(outgoing.entries), "{n} answer will be sent in a few seconds.", "{n} answers will be sent in a few seconds.")}</span>
        <Button class="plain" data-take-back onClick={() => act({ type: "take back" })}>
          {t("Change last answers")} <kbd>←</kbd>
        </Button>
      </span>
    );
  if (outgoing) return <span class="outgoing">{t("Sending …")}</span>;
  if (!gone || index > 0) return null;
  const pay = gone.earned_cents > 0 ? `, ${money(gone.earned_cents, assignment?.currency ?? "")}` : "";
  return (
    <span class="outgoing" role="status">{t("{n} stored", { n: gone.stored }) + pay}</span>
  );
}
