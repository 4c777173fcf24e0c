import type { Dispatch, StateUpdater } from "preact/hooks";
import type { SkipReason } from "../api/types";
import { Instructions } from "../instructions/Instructions";
import { isDone, isHeld, isTest } from "../state/assignment";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import { ReportDialog } from "./ReportDialog";
import { ReturnDialog } from "./ReturnDialog";
import { SkipDialog } from "./SkipDialog";
import { rememberTour, Tour } from "./Tour";

export type Opened = "help" | "tour" | "skip" | "report" | "return" | null;

interface Props {
  opened: Opened;
  open: Dispatch<StateUpdater<Opened>>;
  context: PageContext;
  work: Work;
}

/** The dialog that is open, if any. */
export function Dialogs({ opened, open, context: { task, session }, work }: Props) {
  const { assignment, entries, index, phase } = work.state;
  const question = assignment?.questions[index];
  // Before the browser reports that one dialog has closed, a quick key may have opened another.
  const close = (): void => open((now) => (now === opened ? null : now));
  const endTour = (): void => {
    rememberTour(task);
    close();
  };
  const learn = (): void => {
    close();
    work.act({ type: "learn" });
  };
  const again = isHeld(work.state) && phase !== "learning" && work.examples.shown?.length ? learn : null;
  const tour = question && phase === "asking" ? (): void => open("tour") : null;
  if (opened === "help")
    return <Instructions task={task} onShow={work.examples.load} onExamples={again} onTour={tour} onClose={close} />;
  if (!assignment) return null;
  const giveBack = (): void => {
    close();
    work.giveBack();
  };
  if (opened === "return")
    return (
      <ReturnDialog
        test={isTest(work.state)}
        done={entries.filter(isDone).length}
        hint={session?.howToLeave ?? ""}
        onReturn={giveBack}
        onClose={close}
      />
    );
  if (!question) return null;
  if (opened === "tour") return <Tour onClose={endTour} />;
  if (opened === "report")
    return (
      <ReportDialog
        question={question}
        index={index}
        onReport={(report) => work.report(assignment, report)}
        onClose={close}
      />
    );
  const skip = (reason: SkipReason, comment: string): void => {
    close();
    work.act({ type: "skip", reason, comment });
  };
  if (opened === "skip") return <SkipDialog comment={entries[index]?.comment ?? ""} onSkip={skip} onClose={close} />;
  return null;
}
