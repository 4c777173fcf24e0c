import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Asking } from "./Asking";
import { Dialogs, type Opened } from "./Dialogs";
import { Empty, Failed, Leaving, Sent, Summary } from "./Ends";
import { Header } from "./Header";
import type { Api } from "../../api/client";
import type { Assignment } from "../../api/types";
import { answered, isDone, isDrawn, unsentComments } from "../assignment";
import type { PageContext } from "../calls";
import { readDraft } from "../draft";
import { PAGE } from "../../keyboard/commands";
import { CharacterKeys, type Runs, useCommands } from "../../keyboard/controls";
import { Late, Loading, preload } from "./late";
import { WayContext, wayOf } from "../preferences";
import { many, t } from "../../t";
import { Boundary } from "../../ui/Boundary";
import { useWork, type Work } from "../use_work";
import { storedInWords } from "./words";
import { Button } from "../../ui/Button";

/** A held Enter from the last question must not press the button of the next page. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter" && event.target instanceof HTMLButtonElement) event.preventDefault();
}

/** The whole labelling page. */
export function Page({ root, context, api }: { root: HTMLElement; context: PageContext; api: Api }) {
  const work = useWork(context, api);
  const { act, state, readsSoon } = work;
  const { phase, index, entries, ended, handing } = state;
  const [opened, open] = useState<Opened>(null);
  const going = phase === "asking" || phase === "summary";
  const turn = (by: number) => () => act({ type: "go", index: index + by });
  const turns = { back: turn(-1), onward: turn(1) };
  // An unconfirmed box or a comment without an answer would be left out: show the summary first, which says so.
  const incomplete = phase === "asking" && (entries.some(isDrawn) || unsentComments(entries).length > 0);
  const submitNow = incomplete ? (): void => act({ type: "go", index: entries.length }) : work.submit;
  const help = (): void => open("help");
  useEffect(() => {
    if (readsSoon) preload().catch(() => undefined); // the part itself says so when it is shown
  }, [readsSoon]);
  useLayoutEffect(() => {
    Object.assign(root.dataset, { state: handing ? "leaving" : phase, index: String(index), total: String(entries.length), ahead: state.next ? "ready" : "" });
  }, [phase, handing, index, entries.length, state.next]);
  return (
    <CharacterKeys.Provider value={work.preferences.now.one_letter_keys}>
      <div class={`work ${phase}`} onKeyDown={ignoreHeldEnter}>
        <Keys runs={{ help, ...(going && turns) }} />
        <Header context={context} work={work} onOpen={open} />
        <Notices work={work} ended={ended && going} onSubmit={submitNow} />
        <WayContext.Provider value={wayOf(work.preferences.now, context.drawBy)}>
          <Boundary onward={<Button data-reload onClick={() => location.reload()}>{t("Load the page again")}</Button>}>
            <Body work={work} context={context} onOpen={open} />
          </Boundary>
        </WayContext.Provider>
        <p class="unseen" role="status">
          {phase === "asking" ? t("Question {i} of {n}", { i: index + 1, n: entries.length }) : ""}
        </p>
        <Dialogs opened={opened} open={open} context={context} work={work} />
      </div>
    </CharacterKeys.Provider>
  );
}

/** The keys of the page, inside of what knows whether they act. */
function Keys({ runs }: { runs: Runs<typeof PAGE> }) {
  useCommands(PAGE, runs);
  return null;
}

/** Whether this browser keeps the draft. Some browsers forbid storage in a frame. */
const isKept = (assignment: Assignment | null): boolean => assignment !== null && readDraft(assignment.token) !== null;

function Body({ work, context, onOpen }: { work: Work; context: PageContext; onOpen: (dialog: Opened) => void }) {
  const { state, examples } = work;
  const { phase, receipt, problem, assignment, entries, handing } = state;
  const common = { work, context };
  if (handing && context.session) return <Leaving session={context.session} work={work} />;
  if (phase === "learning" && examples) return <Late.Learning {...common} examples={examples} />;
  if (phase === "asking") return <Asking work={work} onOpen={onOpen} />;
  if (phase === "summary" || phase === "sending") return <Summary work={work} />;
  if (phase === "sent" && receipt) return <Sent {...common} receipt={receipt} />;
  if (phase === "empty" && problem) return <Empty {...common} problem={problem} />;
  if (phase === "error" && problem) return <Failed {...common} problem={problem} kept={entries.some(isDone) && isKept(assignment)} />;
  return <Loading />;
}

/** Notices for every page: no connection, no time left, unsent answers of an earlier assignment. */
function Notices({ work: { trouble, earlier }, ended, onSubmit }: { work: Work; ended: boolean; onSubmit: () => void }) {
  return (
    <div class="notices" role="status">
      {trouble.waiting > 0 && (
        <p class="notice offline">
          {trouble.message || t("No connection. Your answers are safe here; trying again …")}
        </p>
      )}
      {ended && (
        <p class="notice ended">
          {t("Time is up. Your answers are kept: submit them now. Questions that others have answered in the meantime are left out.")}{" "}
          <Button onClick={onSubmit}>{t("Submit now")}</Button>
        </p>
      )}
      <UnsentDraft {...earlier} />
    </div>
  );
}

/** A notice about unsent answers of an earlier assignment in this browser, and their result. */
function UnsentDraft({ left, onChange, onSend, onDiscard, onRead }: Work["earlier"]) {
  if (!left) return null;
  if (left.stage === "sent")
    return (
      <p class="notice earlier">
        {t("From an earlier assignment: {stored}.", { stored: storedInWords(left.receipt) })} {left.receipt.differs && left.receipt.message}
        <Button onClick={onRead}>{t("Close")}</Button>
      </p>
    );
  const { kept, refusal, stage } = left;
  const count = answered(kept.draft.entries);
  if (stage === "sending")
    return (
      <p class="notice earlier">
        {many(count, "Sending {n} answer from an earlier assignment …", "Sending {n} answers from an earlier assignment …")}
      </p>
    );
  // "Keep" takes the place of "Discard", so that a double click throws nothing away.
  if (stage === "sure")
    return (
      <p class="notice earlier">
        {many(count, "Discard {n} answer for good?", "Discard {n} answers for good?")}
        <Button onClick={() => onDiscard(kept)}>{t("Discard for good")}</Button>
        <Button onClick={() => onChange({ ...left, stage: "found" })}>{t("Keep")}</Button>
      </p>
    );
  return (
    <p class="notice earlier">
      {many(count, "{n} answer from an earlier assignment was not sent.", "{n} answers from an earlier assignment were not sent.")} {refusal}
      {!refusal && <Button onClick={() => onSend(kept)}>{many(count, "Send it now", "Send them now")}</Button>}
      <Button onClick={() => onChange({ ...left, stage: "sure" })}>{t("Discard")}</Button>
    </p>
  );
}
