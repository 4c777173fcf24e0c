import type { Dispatch, StateUpdater } from "preact/hooks";
import type { SkipReason } from "../../api/types";
import { isDone, isHeld, isTest } from "../assignment";
import type { PageContext } from "../calls";
import { Late } from "./late";
import type { Work } from "../use_work";
import { skipInWords } from "./words";

export type Opened = "help" | "settings" | "skip" | "report" | "return" | null;

interface Props {
  opened: Opened;
  open: Dispatch<StateUpdater<Opened>>;
  context: PageContext;
  work: Work;
}

/** The dialog that is open, if any. */
export function Dialogs({ opened, open, context: { task, session, drawBy }, work }: Props) {
  const { assignment, entries, index, phase } = work.state;
  const question = assignment?.questions[index];
  // Before the browser reports that one dialog has closed, a quick key may have opened another.
  const close = (): void => open((now) => (now === opened ? null : now));
  const learn = (): void => {
    close();
    work.act({ type: "learn" });
  };
  const again = isHeld(work.state) && phase !== "learning" ? learn : null;
  if (opened === "help") return <Late.Instructions task={task} onExamples={again} onClose={close} />;
  const { now: preferences, change: onChange } = work.preferences;
  if (opened === "settings") return <Late.SettingsDialog {...{ task, preferences, drawBy, onChange }} onClose={close} />;
  if (!assignment) return null;
  const giveBack = (): void => {
    close();
    work.giveBack();
  };
  if (opened === "return")
    return (
      <Late.ReturnDialog
        test={isTest(work.state)}
        done={entries.filter(isDone).length}
        paid={assignment.reward_cents > 0}
        hint={session?.wayOut ?? ""}
        onReturn={giveBack}
        onClose={close}
      />
    );
  if (!question) return null;
  if (opened === "report")
    return (
      <Late.ReportDialog
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
  if (opened === "skip") {
    const cost = skipInWords(work.state, session);
    return <Late.SkipDialog comment={entries[index]?.comment ?? ""} cost={cost} onSkip={skip} onClose={close} />;
  }
  return null;
}
