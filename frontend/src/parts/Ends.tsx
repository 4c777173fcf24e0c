/** The quiet pages between assignments. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Assignment, Receipt } from "../api/types";
import type { Problem } from "../state/assignment";
import { useKeys } from "../state/keys";
import { money } from "./money";
import { storedInWords } from "./words";

/** A button that has the focus and is pressed by Enter from anywhere. */
function Primary({ label, onPress }: { label: string; onPress: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), []);
  useKeys({ Enter: onPress });
  return (
    <button ref={button} type="button" class="primary" data-next onClick={onPress}>
      {label} <kbd>Enter</kbd>
    </button>
  );
}

interface SentProps {
  receipt: Receipt;
  assignment: Assignment | null;
  home: string;
  onNext: () => void;
}

export function Sent({ receipt, assignment, home, onNext }: SentProps) {
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

interface PausedProps {
  problem: Problem;
  home: string;
  onNext: () => void;
}

/** Nothing is open, or the assignment was returned. */
export function Empty({ problem, home, onNext }: PausedProps) {
  const nothing = problem.code === "nothing";
  return (
    <main class="card">
      <h1>{nothing ? "Nothing to do just now" : "Returned"}</h1>
      <p role="status">{problem.message}</p>
      {nothing && <p class="quiet">This page looks again every half minute.</p>}
      <Primary label={nothing ? "Look now" : "Get other questions"} onPress={onNext} />
      <a class="plain" href={home}>
        Home
      </a>
    </main>
  );
}

export function Failed({ problem, home, kept }: { problem: Problem; home: string; kept: boolean }) {
  const signedOut = problem.code === "signed_out";
  return (
    <main class="card">
      <h1>{signedOut ? "You were signed out" : "This did not work"}</h1>
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
