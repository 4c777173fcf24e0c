/** The pages between assignments. */

import type { Receipt, TestResult } from "../api/types";
import type { Problem } from "../state/assignment";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import { money } from "./money";
import { Primary } from "./Primary";
import { Onward, Reload } from "./SessionEnds";
import { WayOut } from "./WayOut";
import { many, storedInWords } from "./words";

interface Props {
  work: Work;
  context: PageContext;
}

export function Sent({ receipt, work, context }: Props & { receipt: Receipt }) {
  const { session } = context;
  if (receipt.test) return <Tested {...{ work, context }} test={receipt.test} message={receipt.message} />;
  return (
    <main class="card">
      <h1>Thank you</h1>
      <p role="status">
        {storedInWords(receipt)}
        {receipt.earned_cents > 0 && `. You earned ${money(receipt.earned_cents, work.state.assignment?.currency ?? "")}`}.
      </p>
      {receipt.message && <p class="quiet">{receipt.message}</p>}
      {session && receipt.session ? (
        <Onward {...{ session, work, context }} figures={receipt.session} />
      ) : (
        <WayOut {...{ work, context }} home="Stop for now">
          <Primary label="Continue" onPress={work.look} />
        </WayOut>
      )}
    </main>
  );
}

interface TestedProps extends Props {
  test: TestResult;
  message: string;
}

/** The result of a test, without its questions: other workers take the same test. */
function Tested({ test: { right, asked, needed, passed }, message, work, context }: TestedProps) {
  const { session } = context;
  return (
    <main class="card">
      <h1>{passed ? "Test passed" : "Not passed this time"}</h1>
      <p role="status">
        <b>{`${right} of ${asked} right`}</b>; {needed} {needed === 1 ? "was" : "were"} needed.
      </p>
      {message && <p>{message}</p>}
      {passed && session && <p>{`The ${session.word} is not finished yet: it needs ${many(session.least, "assignment")}.`}</p>}
      {passed && <Primary label="Continue" onPress={work.look} />}
      {!(passed && session) && <WayOut {...{ work, context }} home={passed ? "Stop for now" : "Home"} main={!passed} />}
    </main>
  );
}

/** The page when nothing is open or the assignment was returned. */
export function Empty({ problem, work, context }: Props & { problem: Problem }) {
  const nothing = problem.code === "nothing";
  const test = problem.code === "left";
  return (
    <main class="card">
      <h1>{nothing ? "Nothing to do right now" : test ? "You left the test" : "Returned"}</h1>
      <p role="status">{problem.message}</p>
      {nothing && <p class="quiet">This page looks for questions again every half minute.</p>}
      <WayOut {...{ work, context }}>
        <Primary label={nothing ? "Look again now" : test ? "Take the test" : "Get other questions"} onPress={work.look} />
      </WayOut>
    </main>
  );
}

const FAILED: Record<string, string> = {
  signed_out: "You were signed out",
  not_trusted: "No questions for you right now",
  budget_spent: "No questions right now",
  session_over: "No more questions here",
};

export function Failed({ problem, kept, work, context }: Props & { problem: Problem; kept: boolean }) {
  const { session } = context;
  const signedOut = problem.code === "signed_out";
  if (session && signedOut) return <Reload kept={kept} />;
  const finish = session && problem.code === "session_over" ? `Hand in the ${session.word}` : "Finish";
  return (
    <main class="card">
      <h1>{FAILED[problem.code] ?? "Something went wrong"}</h1>
      <p role="alert">{problem.message}</p>
      {kept && <p class="quiet">Your answers are kept on this device.</p>}
      <WayOut {...{ work, context, finish }} home={signedOut ? "Sign in again" : "Home"} main />
    </main>
  );
}

export function Loading() {
  return (
    <main class="card">
      <p class="quiet" role="status">
        Loading questions …
      </p>
    </main>
  );
}
