/** The quiet pages between assignments. */

import type { Receipt, TestResult } from "../api/types";
import type { Problem } from "../state/assignment";
import type { Place } from "../state/calls";
import type { Work } from "../state/use_work";
import { money } from "./money";
import { Primary } from "./Primary";
import { Onward, Reload } from "./SessionEnds";
import { WayOut } from "./WayOut";
import { many, storedInWords } from "./words";

interface Props {
  work: Work;
  place: Place;
}

export function Sent({ receipt, work, place }: Props & { receipt: Receipt }) {
  const { session } = place;
  if (receipt.test) return <Tested {...{ work, place }} test={receipt.test} message={receipt.message} />;
  return (
    <main class="card">
      <h1>Thank you</h1>
      <p role="status">
        {storedInWords(receipt)}
        {receipt.earned_cents > 0 && `. You earned ${money(receipt.earned_cents, work.sitting.assignment?.currency ?? "")}`}.
      </p>
      {receipt.message && <p class="quiet">{receipt.message}</p>}
      {session && receipt.session ? (
        <Onward {...{ session, work, place }} figures={receipt.session} />
      ) : (
        <WayOut {...{ work, place }} home="Enough for now">
          <Primary label="Go on" onPress={work.look} />
        </WayOut>
      )}
    </main>
  );
}

interface TestedProps extends Props {
  test: TestResult;
  message: string;
}

/** The result of a test, and nothing of its questions: others take it, too. */
function Tested({ test: { right, asked, needed, passed }, message, work, place }: TestedProps) {
  const { session } = place;
  return (
    <main class="card">
      <h1>{passed ? "Test passed" : "Not passed this time"}</h1>
      <p role="status">
        <b>{`${right} of ${asked} right`}</b>; {needed} {needed === 1 ? "was" : "were"} needed.
      </p>
      {message && <p>{message}</p>}
      {passed && session && <p>{`The ${session.word} is not finished yet: it needs ${many(session.least, "assignment")}.`}</p>}
      {passed && <Primary label="Go on" onPress={work.look} />}
      {!(passed && session) && <WayOut {...{ work, place }} home={passed ? "Enough for now" : "Home"} main={!passed} />}
    </main>
  );
}

/** Nothing is open, or the assignment was returned. */
export function Empty({ problem, work, place }: Props & { problem: Problem }) {
  const nothing = problem.code === "nothing";
  const test = problem.code === "left";
  return (
    <main class="card">
      <h1>{nothing ? "Nothing to do just now" : test ? "You left the test" : "Returned"}</h1>
      <p role="status">{problem.message}</p>
      {nothing && <p class="quiet">This page looks again every half minute.</p>}
      <WayOut {...{ work, place }}>
        <Primary label={nothing ? "Look now" : test ? "Take the test" : "Get other questions"} onPress={work.look} />
      </WayOut>
    </main>
  );
}

const FAILED: Record<string, string> = {
  signed_out: "You were signed out",
  not_trusted: "No questions for you just now",
  budget_spent: "No questions just now",
  session_over: "No more questions here",
};

export function Failed({ problem, kept, work, place }: Props & { problem: Problem; kept: boolean }) {
  const { session } = place;
  const signedOut = problem.code === "signed_out";
  if (session && signedOut) return <Reload kept={kept} />;
  const finish = session && problem.code === "session_over" ? `Hand in the ${session.word}` : "Finish";
  return (
    <main class="card">
      <h1>{FAILED[problem.code] ?? "This did not work"}</h1>
      <p role="alert">{problem.message}</p>
      {kept && <p class="quiet">Your answers are kept on this device.</p>}
      <WayOut {...{ work, place, finish }} home={signedOut ? "Sign in again" : "Home"} main />
    </main>
  );
}

export function Loading() {
  return (
    <main class="card">
      <p class="quiet" role="status">
        Getting questions …
      </p>
    </main>
  );
}
