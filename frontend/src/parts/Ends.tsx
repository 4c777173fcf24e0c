/** The pages between assignments. */

import type { Receipt } from "../api/types";
import type { Problem } from "../state/assignment";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import type { About } from "./AskDialog";
import { withLocalTimes } from "../local_time";
import { AskRequester } from "./AskRequester";
import { money } from "./money";
import { Primary } from "./Primary";
import { Tested } from "./Rare";
import { Onward, Reload } from "./SessionEnds";
import { WayOut } from "./WayOut";
import { storedInWords } from "./words";
import { t } from "../t";

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
      <Tested {...{ work, context }} test={receipt.test} message={receipt.message}>
        {ask}
      </Tested>
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
          <Primary label={t("Continue")} onPress={work.look} />
        </WayOut>
      )}
      {ask}
    </main>
  );
}

const EMPTY: Record<string, string> = {
  nothing: t("Nothing to do right now"),
  left: t("You left the test"),
  "submitted elsewhere": t("Submitted in another tab or on another device"),
  "returned elsewhere": t("Returned in another tab or on another device"),
};

/** The page when nothing is open or the assignment was returned. */
export function Empty({ problem, work, context }: Props & { problem: Problem }) {
  const nothing = problem.code === "nothing";
  const test = problem.code === "left";
  return (
    <main class="card">
      <h1>{EMPTY[problem.code] ?? t("Returned")}</h1>
      <p role="status">{withLocalTimes(problem.message)}</p>
      {nothing && <p class="quiet">{t("This page looks for questions again every half minute.")}</p>}
      <WayOut {...{ work, context }}>
        <Primary label={nothing ? t("Look again now") : test ? t("Take the test") : t("Get other questions")} onPress={work.look} />
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
  const finish = session && problem.code === "session_over" ? t("Hand in the {word}", { word: session.word }) : t("Finish");
  return (
    <main class="card">
      <h1>{FAILED[problem.code] ?? t("Something went wrong")}</h1>
      <p role="alert">{withLocalTimes(problem.message)}</p>
      {kept && <p class="quiet">{t("Your answers are kept on this device.")}</p>}
      <WayOut {...{ work, context, finish }} home={signedOut ? t("Sign in again") : t("Home")} main />
      {problem.code === "not_trusted" && <AskRequester {...about(work, context)} />}
    </main>
  );
}
