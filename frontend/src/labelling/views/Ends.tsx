/** The pages between assignments. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { About } from "./LateDialogs";
import type { Offer, Receipt } from "../../api/types";
import {
  type Entry,
  goesByItself,
  isBegun,
  isDone,
  isDrawn,
  isTest,
  leftOut,
  type Problem,
  unsentComments,
} from "../assignment";
import type { PageContext } from "../calls";
import { Late } from "./late";
import { withLocalTimes } from "../../local_time";
import type { Session } from "../session";
import { many, t } from "../../t";
import { Button, Primary } from "../../ui/Button";
import type { Work } from "../use_work";
import { commentsInWords, earnsInWords, money, storedInWords } from "./words";
import { MAIN } from "../../keyboard/commands";
import { useCommands } from "../../keyboard/controls";
import { useCalm } from "../sight";

interface Props {
  work: Work;
  context: PageContext;
}

/** What a message to the requester is about. */
const about = ({ mail, state }: Work, context: PageContext): About => ({ api: mail, context, token: state.assignment?.token ?? null });

export function Sent({ receipt, work, context }: Props & { receipt: Receipt }) {
  const { session } = context;
  const ask = <AskRequester {...about(work, context)} />;
  if (receipt.test)
    return (
      <Late.Tested {...{ work, context }} test={receipt.test} message={receipt.message}>{ask}</Late.Tested>
    );
  return (
    <main class="card">
      <h1>{receipt.differs ? t("Already submitted") : t("Thank you")}</h1>
      {receipt.differs && <p role="alert">{receipt.message}</p>}
      <p role="status">
        {receipt.differs && t("First submission: ")}
        {storedInWords(receipt)}.
        {receipt.earned_cents > 0 && ` ${t("You earned {amount}.", { amount: money(receipt.earned_cents, work.state.assignment?.currency ?? "") })}`}
      </p>
      {receipt.message && !receipt.differs && <p class="quiet">{receipt.message}</p>}
      {session && receipt.session ? (
        <Onward {...{ session, work, context }} figures={receipt.session} />
      ) : (
        <WayOut {...{ work, context }} home={t("Stop for now")}>
          <Primary label={t("Continue")} onPress={work.goOn} />
        </WayOut>
      )}
      <Upcoming {...{ work, context }} />
      {ask}
    </main>
  );
}

/** What comes, and how much is left: "Open to you: check a box (more than 20), draw a box." */
function Upcoming({ work: { offers } }: Props) {
  if (!offers.length) return null;
  const inWords = ({ label, state, open }: Offer): string =>
    label + (state === "test" ? ` (${t("test first")})` : open > 1 ? ` (${t("more than {n}", { n: open })})` : "");
  return <p class="quiet" data-offers>{t("Open to you now: {tasks}.", { tasks: offers.map(inWords).join(", ") })}</p>;
}

/** The next task as the main action of a page where this one has nothing; null: there is no other. */
function nextTask({ work, context }: Props) {
  const next = work.offers.find(({ task }) => task !== context.task);
  return next ? <Primary key={next.task} label={t("Next task: {task}", { task: next.label })} onPress={() => work.openTask(next)} /> : null;
}

const EMPTY: Record<string, string> = {
  nothing: t("Nothing to do right now"),
  left: t("You left the test"),
  "submitted elsewhere": t("Submitted in another tab or on another device"),
  "returned elsewhere": t("Returned in another tab or on another device"),
};

/** The page when nothing is open or the assignment was returned. */
export function Empty({ problem, work, context }: Props & { problem: Problem }) {
  const next = nextTask({ work, context });
  const nothing = problem.code === "nothing";
  const test = problem.code === "left";
  return (
    <main class="card">
      <h1>{EMPTY[problem.code] ?? t("Returned")}</h1>
      <p role="status">{withLocalTimes(problem.message)}</p>
      {nothing && <p class="quiet">{t("This page looks for questions again every half minute.")}</p>}
      {nothing && <Upcoming {...{ work, context }} />}
      <WayOut {...{ work, context }}>
        {nothing && next ? next : <Primary label={nothing ? t("Look again now") : test ? t("Take the test") : t("Get other questions")} onPress={work.look} />}
      </WayOut>
    </main>
  );
}

const FAILED: Record<string, string> = {
  signed_out: t("You were signed out"),
  not_trusted: t("No questions for you right now"),
  budget_spent: t("No questions right now"),
  not_running: t("No questions right now"),
  session_over: t("No more questions here"),
};

export function Failed({ problem, kept, work, context }: Props & { problem: Problem; kept: boolean }) {
  const { session } = context;
  const signedOut = problem.code === "signed_out";
  if (session && signedOut) return <Reload kept={kept} />;
  const next = problem.code === "not_trusted" && nextTask({ work, context });
  const finish = session && problem.code === "session_over" ? t("Hand in the {word}", { word: session.word }) : t("Finish");
  return (
    <main class="card">
      <h1>{FAILED[problem.code] ?? t("Something went wrong")}</h1>
      <p role="alert">{withLocalTimes(problem.message)}</p>
      {kept && <p class="quiet">{t("Your answers are kept on this device.")}</p>}
      <WayOut {...{ work, context, finish }} home={signedOut ? t("Sign in again") : t("Home")} main={!next}>
        {next}
      </WayOut>
      {problem.code === "not_trusted" && <AskRequester {...about(work, context)} />}
    </main>
  );
}

type Figures = NonNullable<Receipt["session"]>;

/** "2 of 3 assignments of this HIT done." */
function doneInWords({ done, least, quota }: Figures, { word }: Session): string {
  if (done < least) return many(least, "{done} of {n} assignment of this {word} done.", "{done} of {n} assignments of this {word} done.", { done, word });
  if (done >= quota) return t("All assignments of this {word} done.", { word });
  return many(
    done,
    "{n} assignment of this {word} done. You can hand it in now, or do up to {quota} in all.",
    "{n} assignments of this {word} done. You can hand it in now, or do up to {quota} in all.",
    { word, quota },
  );
}

/** The earnings of the session, if this page has seen all of its assignments, and how they are paid. */
export function payInWords({ done }: Figures, session: Session, { assignments, cents }: Work["state"]["earned"]): string {
  const { word, reward, currency } = session;
  const soFar = assignments === done && done > 1 ? `${t("{amount} earned so far.", { amount: money(cents, currency) })} ` : "";
  return soFar + t("The {word} pays {amount}; anything you earn beyond that is paid as a bonus.", { word, amount: money(reward, currency) });
}

/** What follows an assignment: the next one, and handing in as soon as there are enough. */
function Onward({ figures, session, work, context }: { figures: Figures; session: Session; work: Work; context: PageContext }) {
  const { done, least, quota } = figures;
  const onward = done < quota && <Primary label={t("Continue")} onPress={work.look} />;
  const finish = onward ? t("Hand in and finish") : t("Hand in the {word}", { word: session.word });
  const enough = done >= least;
  return (
    <>
      <p>{doneInWords(figures, session)}</p>
      {enough && <p class="quiet">{payInWords(figures, session, work.state.earned)}</p>}
      {enough ? <WayOut {...{ work, context, finish }} main={!onward} children={onward} /> : onward}
    </>
  );
}

/** The page on the way back to the platform. Its button repeats the step, in case it failed. */
export function Leaving({ session: { word, platform }, work }: { session: Session; work: Work }) {
  const done = work.state.handing === "done";
  return (
    <main class="card">
      <h1>{done ? t("Handed in") : t("Handing in …")}</h1>
      <p role="status">{done ? t("Taking you back to {platform} …", { platform }) : t("Your answers are stored.")}</p>
      {done && <p class="quiet">{t("Still here after a while? Press the button: nothing counts twice.")}</p>}
      {done && <Primary name="finish" label={t("Hand in the {word}", { word })} onPress={work.handIn} />}
    </main>
  );
}

/** The page when its token has expired: the platform can open it again. */
export function Reload({ kept }: { kept: boolean }) {
  return (
    <main class="card">
      <h1>{t("Reload this page")}</h1>
      <p role="alert">
        {t("It was open for too long. Reload it to continue.")}
        {kept && ` ${t("Your answers are kept on this device.")}`}
      </p>
      <Primary label={t("Reload this page")} onPress={() => location.reload()} />
    </main>
  );
}

interface WayOutProps {
  work: Work;
  context: PageContext;
  /** The label of the link home. */
  home?: string;
  /** The label of the button that hands the session in. */
  finish?: string;
  /** Whether this is the main action of the page. */
  main?: boolean;
  /** Other actions of the page. */
  children?: ComponentChildren;
}

/** Leads a worker without an account to what is kept about them, in a tab of its own. The token goes in the body. */
function OwnData({ bearer }: { bearer: string }) {
  return (
    <form class="own" method="post" action="/work/my-data/platform/" target="_blank">
      <input type="hidden" name="bearer" value={bearer} />
      <button class="plain" type="submit">{t("My data")}</button>
    </form>
  );
}

/** The way out: the link home, or on a platform the button that hands the session in. */
export function WayOut({ work, context, home = t("Home"), finish = t("Finish"), main = false, children }: WayOutProps) {
  if (!context.session)
    return (
      <>
        {children}
        <a class={main ? "button primary" : "plain"} href={context.home}>{home}</a>
      </>
    );
  const { refusal } = work.state;
  return (
    <>
      {refusal && (
        <p class="error" role="alert">{refusal.message} {refusal.code === "not_finished" && context.session.wayOut}</p>
      )}
      <div class="row">
        {children}
        {main ? (
          <Primary name="finish" label={finish} onPress={work.handIn} />
        ) : <Button data-finish onClick={work.handIn}>{finish}</Button>}
      </div>
      <OwnData bearer={context.session.bearer} />
    </>
  );
}

/** The way to write to the requester: the worker's own page, or on a platform, where there is none, a dialog. */
function AskRequester({ api, context, token }: About) {
  const { home, session, task } = context;
  const [opened, open] = useState(false);
  const label = t("Write to the requester");
  if (!session)
    return (
      <a class="plain" data-ask href={`${home}messages/?${token ? `assignment=${token}` : `task=${task}`}`}>{label}</a>
    );
  return (
    <>
      <Button class="plain" data-ask onClick={() => open(true)}>{label}</Button>
      {opened && <Late.AskDialog {...{ api, context, token }} onClose={() => open(false)} />}
    </>
  );
}

function headline(entries: readonly Entry[]): string {
  const open = leftOut(entries);
  const skipped = entries.filter(({ skip }) => skip).length;
  if (open === entries.length && !entries.some(isDrawn)) return t("Nothing answered yet");
  if (open > 0) return t("{n} left out", { n: open });
  return skipped > 0
    ? t("{n} answered, {skipped} skipped", { n: entries.length - skipped, skipped })
    : t("All {n} answered", { n: entries.length });
}

const begunInWords = (entry: Entry, i: number): string =>
  isBegun(entry) ? t("Question {i}, {state}", { i, state: t("begun, not finished") }) : t("Question {i}: drawn, not confirmed", { i });

/** The last page before the answers are sent. */
export function Summary({ work: { state, act, submit, look } }: { work: Work }) {
  const { entries, phase, problem } = state;
  const onGo = (index: number): void => act({ type: "go", index });
  const earns = earnsInWords(state);
  const test = isTest(state);
  const sending = phase === "sending";
  const button = useRef<HTMLButtonElement>(null);
  const open = leftOut(entries);
  const begun = entries.find(isDrawn);
  const silent = unsentComments(entries);
  const over = problem?.code === "assignment_ended";
  const finish = over ? look : submit;
  const calm = useCalm(); // the second press at the last question is not meant for the button
  const press = (): void => {
    if (calm && !sending) finish();
  };
  useCommands(MAIN, { press });
  useLayoutEffect(() => button.current?.focus(), [over]);
  return (
    <main class="card" data-answers={calm ? "open" : "wait"}>
      <h1>{headline(entries)}</h1>
      {open > 0 && (
        <p class="quiet">
          {test ? t("Questions that you leave out count as wrong.") : t("Questions that you leave out go to other people.")}
          {begun && ` ${isBegun(begun) ? t("A begun answer is sent only after you finish it.") : t("A box is sent only after you confirm it.")}`}
        </p>
      )}
      {silent.length > 0 && <p class="notsent">{commentsInWords(silent)}</p>}
      <ul class="leftover">
        {entries.map((entry, i) =>
          isDone(entry) ? null : (
            <li key={i}>
              <Button onClick={() => onGo(i)}>
                {isDrawn(entry) ? begunInWords(entry, i + 1) : t("Answer question {i}", { i: i + 1 })}
              </Button>
            </li>
          ),
        )}
      </ul>
      {earns && <p class="quiet">{earns}</p>}
      {goesByItself(state) && !problem && !sending && <p role="status">{t("Sent by itself in a few seconds.")}</p>}
      {problem && <p class="error" role="alert">{problem.message}</p>}
      <button ref={button} type="button" class="primary" data-submit aria-disabled={sending} onClick={press}>
        {over ? t("Get other questions") : sending ? t("Sending …") : test ? t("Hand in the test") : t("Submit")} {!sending && <kbd>Enter</kbd>}
      </button>
      <Button class="plain" disabled={sending} onClick={() => onGo(entries.length - 1)}>
        {t("Back to the questions")} <kbd>←</kbd>
      </Button>
    </main>
  );
}
