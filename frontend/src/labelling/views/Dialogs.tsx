import type { Dispatch, StateUpdater } from "preact/hooks";
import { isHeld } from "../assignment";
import type { PageContext } from "../calls";
import { Late } from "./late";
import type { Work } from "../use_work";

export type Opened = "help" | "settings" | "skip" | "report" | "return" | null;

interface Props {
  opened: Opened;
  open: Dispatch<StateUpdater<Opened>>;
  context: PageContext;
  work: Work;
}

/** The dialog that is open, if any. */
export function Dialogs({ opened, open, context, work }: Props) {
  const { assignment, index, phase } = work.state;
  const question = assignment?.questions[index];
  // Before the browser reports that one dialog has closed, a quick key may have opened another.
  const onClose = (): void => open((now) => (now === opened ? null : now));
  const learn = (): void => {
    onClose();
    work.act({ type: "learn" });
  };
  const again = isHeld(work.state) && phase !== "learning" ? learn : null;
  const common = { work, context, onClose };
  if (opened === "help") return <Late.Instructions task={context.task} onExamples={again} onClose={onClose} />;
  if (opened === "settings") return <Late.SettingsDialog {...common} />;
  if (opened === "return" && assignment) return <Late.ReturnDialog {...common} assignment={assignment} />;
  if (opened === "report" && assignment && question) return <Late.ReportDialog {...common} {...{ assignment, question }} />;
  if (opened === "skip" && question) return <Late.SkipDialog {...common} />;
  return null;
}
