/** The pages between assignments. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { About } from "./AskDialog";
import type { Offer, Receipt } from "../../api/types";
import type { Problem } from "../assignment";
import type { PageContext } from "../calls";
import { Late } from "./late";
import { withLocalTimes } from "../../local_time";
import type { Session } from "../session";
import { many, t } from "../../t";
import { Primary } from "../../ui/Primary";
import type { Work } from "../use_work";
import { money, storedInWords } from "./words";

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
      <Late.Tested {...{ work, context }} test={receipt.test} message={receipt.message}>
        {ask}
      </Late.Tested>
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
      <button class="plain" type="submit">
        {t("My data")}
      </button>
    </form>
  );
}

/** The way out: the link home, or on a platform the button that hands the session in. */
export function WayOut({ work, context, home = t("Home"), finish = t("Finish"), main = false, children }: WayOutProps) {
  if (!context.session)
    return (
      <>
        {children}
        <a class={main ? "button primary" : "plain"} href={context.home}>
          {home}
        </a>
      </>
    );
  const { refusal } = work.state;
  return (
    <>
      {refusal && (
        <p class="error" role="alert">
          {refusal.message} {refusal.code === "not_finished" && context.session.wayOut}
        </p>
      )}
      <div class="row">
        {children}
        {main ? (
          <Primary name="finish" label={finish} onPress={work.handIn} />
        ) : (
          <button type="button" data-finish onClick={work.handIn}>
            {finish}
          </button>
        )}
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
      <a class="plain" data-ask href={`${home}messages/?${token ? `assignment=${token}` : `task=${task}`}`}>
        {label}
      </a>
    );
  return (
    <>
      <button type="button" class="plain" data-ask onClick={() => open(true)}>
        {label}
      </button>
      {opened && <Late.AskDialog {...{ api, context, token }} onClose={() => open(false)} />}
    </>
  );
}
