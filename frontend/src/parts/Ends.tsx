/** The quiet pages between assignments. */

import type { Assignment, Receipt, TestResult } from "../api/types";
import type { Problem } from "../state/assignment";
import { money } from "./money";
import { Primary } from "./Primary";
import { storedInWords } from "./words";

interface SentProps {
  receipt: Receipt;
  assignment: Assignment | null;
  home: string;
  onNext: () => void;
}

export function Sent({ receipt, assignment, home, onNext }: SentProps) {
  if (receipt.test) return <Tested test={receipt.test} message={receipt.message} home={home} onNext={onNext} />;
  return (
    <main class="card">
      <h1>Thank you</h1>
      <p role="status">
        {storedInWords(receipt)}
        {receipt.earned_cents > 0 && `. You earned ${money(receipt.earned_cents, assignment?.currency ?? "")}`}.
      </p>
      {receipt.message && <p class="quiet">{receipt.message}</p>}
      <Primary label="Go on" onPress={onNext} />
      <a class="plain" href={home}>
        Enough for now
      </a>
    </main>
  );
}

interface TestedProps {
  test: TestResult;
  message: string;
  home: string;
  onNext: () => void;
}

/** The result of a test, and nothing of its questions: others take it, too. */
function Tested({ test: { right, asked, needed, passed }, message, home, onNext }: TestedProps) {
  return (
    <main class="card">
      <h1>{passed ? "Test passed" : "Not passed this time"}</h1>
      <p role="status">
        <b>{`${right} of ${asked} right`}</b>; {needed} {needed === 1 ? "was" : "were"} needed.
      </p>
      {message && <p>{message}</p>}
      {passed && <Primary label="Go on" onPress={onNext} />}
      <a class={passed ? "plain" : "button primary"} href={home}>
        {passed ? "Enough for now" : "Home"}
      </a>
    </main>
  );
}

interface PausedProps {
  problem: Problem;
  home: string;
  onNext: () => void;
}

/** Nothing is open, or the assignment was returned. */
export function Empty({ problem, home, onNext }: PausedProps) {
  const nothing = problem.code === "nothing";
  const test = problem.code === "left";
  return (
    <main class="card">
      <h1>{nothing ? "Nothing to do just now" : test ? "You left the test" : "Returned"}</h1>
      <p role="status">{problem.message}</p>
      {nothing && <p class="quiet">This page looks again every half minute.</p>}
      <Primary label={nothing ? "Look now" : test ? "Take the test" : "Get other questions"} onPress={onNext} />
      <a class="plain" href={home}>
        Home
      </a>
    </main>
  );
}

const FAILED: Record<string, string> = {
  signed_out: "You were signed out",
  not_trusted: "No questions for you just now",
  budget_spent: "No questions just now",
};

export function Failed({ problem, home, kept }: { problem: Problem; home: string; kept: boolean }) {
  const signedOut = problem.code === "signed_out";
  return (
    <main class="card">
      <h1>{FAILED[problem.code] ?? "This did not work"}</h1>
      <p role="alert">{problem.message}</p>
      {kept && <p class="quiet">Your answers are kept on this device.</p>}
      <a class="button primary" href={home}>
        {signedOut ? "Sign in again" : "Home"}
      </a>
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
