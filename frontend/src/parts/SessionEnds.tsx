/** The quiet pages of a session on a platform. */

import type { Receipt } from "../api/types";
import type { Place } from "../state/calls";
import type { Session } from "../state/session";
import type { Work } from "../state/use_work";
import { money } from "./money";
import { Primary } from "./Primary";
import { many } from "./words";
import { WayOut } from "./WayOut";

type Figures = NonNullable<Receipt["session"]>;

/** "2 of 3 assignments of this HIT done." */
export function doneInWords({ done, least, quota }: Figures, { word }: Session): string {
  if (done < least) return `${done} of ${many(least, "assignment")} of this ${word} done.`;
  if (done >= quota) return `All assignments of this ${word} done.`;
  return `${many(done, "assignment")} of this ${word} done. You can hand it in now, or go on, up to ${quota} in all.`;
}

/** What was earned in the session, as far as this page has seen all of it, and how it is paid. */
export function payInWords({ done }: Figures, session: Session, { assignments, cents }: Work["sitting"]["earned"]): string {
  const { word, reward, currency } = session;
  const soFar = assignments === done && done > 1 ? `${money(cents, currency)} earned in it so far. ` : "";
  return `${soFar}The ${word} pays ${money(reward, currency)}; what you earn beyond that is paid as a bonus.`;
}

/** What follows an assignment: the next one, and the way back as soon as there is one. */
export function Onward({ figures, session, work, place }: { figures: Figures; session: Session; work: Work; place: Place }) {
  const { done, least, quota } = figures;
  const onward = done < quota && <Primary label="Go on" onPress={work.look} />;
  const finish = onward ? "Hand in and finish" : `Hand in the ${session.word}`;
  const enough = done >= least;
  return (
    <>
      <p>{doneInWords(figures, session)}</p>
      {enough && <p class="quiet">{payInWords(figures, session, work.sitting.earned)}</p>}
      {enough ? <WayOut {...{ work, place, finish }} main={!onward} children={onward} /> : onward}
    </>
  );
}

/** On the way back to the platform; a button does the same again, should that have gone wrong. */
export function Leaving({ session: { word, platform }, work }: { session: Session; work: Work }) {
  const done = work.sitting.handing === "done";
  return (
    <main class="card">
      <h1>{done ? "Handed in" : "Handing in …"}</h1>
      <p role="status">{done ? `Taking you back to ${platform} …` : "Your answers are stored."}</p>
      {done && <p class="quiet">Still here after a while? Press the button: nothing is counted twice.</p>}
      {done && <Primary name="finish" label={`Hand in the ${word}`} onPress={work.handIn} />}
    </main>
  );
}

/** The page was open for so long that the server knows it no more; the platform opens it anew. */
export function Reload({ kept }: { kept: boolean }) {
  return (
    <main class="card">
      <h1>Reload this page</h1>
      <p role="alert">It was open for too long. Reload it to go on.{kept && " Your answers are kept on this device."}</p>
      <Primary label="Reload this page" onPress={() => location.reload()} />
    </main>
  );
}
