import { useLayoutEffect, useState } from "preact/hooks";
import type { Api } from "../api/client";
import type { Assignment } from "../api/types";
import type { Place } from "../state/calls";
import { isDone, isDrawn, unsentComments } from "../state/assignment";
import { readDraft } from "../state/draft";
import { useKeys } from "../state/keys";
import { useWork, type Work } from "../state/use_work";
import { Asking } from "./Asking";
import { Dialogs, type Opened } from "./Dialogs";
import { Earlier } from "./Earlier";
import { Empty, Failed, Loading, Sent } from "./Ends";
import { Header } from "./Header";
import { Learning } from "./Learning";
import { Notices } from "./Notices";
import { Leaving } from "./SessionEnds";
import { Summary } from "./Summary";
import { tourSeen } from "./Tour";

interface Props {
  root: HTMLElement;
  place: Place;
  api: Api;
}

/** Enter that is still held down from the last question does not press the button of the next page. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter" && event.target instanceof HTMLButtonElement) event.preventDefault();
}

/** The whole labelling page. */
export function Page({ root, place, api }: Props) {
  const work = useWork(place, api);
  const { act, sitting } = work;
  const { phase, index, entries, ended, handing } = sitting;
  const [opened, open] = useState<Opened>(null);
  const going = phase === "asking" || phase === "summary";
  const turn = (by: number) => () => act({ type: "go", index: index + by });
  const turns = { Backspace: turn(-1), ArrowLeft: turn(-1), ArrowRight: turn(1) };
  // A box that is not confirmed and a comment without an answer would be left out: the summary says so first.
  const incomplete = phase === "asking" && (entries.some(isDrawn) || unsentComments(entries).length > 0);
  const submitNow = incomplete ? (): void => act({ type: "go", index: entries.length }) : work.submit;
  const help = (): void => open("help");
  useKeys({ "?": help, i: help, ...(going && turns) });
  useLayoutEffect(() => {
    Object.assign(root.dataset, { state: handing ? "leaving" : phase, index: String(index), total: String(entries.length) });
  }, [phase, handing, index, entries.length]);
  // At once: a key pressed while the tour was on its way would answer behind it.
  useLayoutEffect(() => {
    if (phase === "asking" && !tourSeen(place.task)) open("tour");
  }, [phase === "asking"]);
  return (
    <div class={`work ${phase}`} onKeyDown={ignoreHeldEnter}>
      <Header place={place} work={work} onHelp={help} />
      <Notices trouble={work.trouble} ended={ended && going} onSubmit={submitNow}>
        <Earlier {...work.earlier} />
      </Notices>
      <Body work={work} place={place} onOpen={open} />
      <p class="unseen" role="status">
        {phase === "asking" ? `Question ${index + 1} of ${entries.length}` : ""}
      </p>
      <Dialogs opened={opened} open={open} place={place} work={work} />
    </div>
  );
}

/** Not where the browser forbids it, as some do in a frame. */
const isKept = (assignment: Assignment | null): boolean => assignment !== null && readDraft(assignment.token) !== null;

function Body({ work, place, onOpen }: { work: Work; place: Place; onOpen: (dialog: Opened) => void }) {
  const { sitting, act, look, submit } = work;
  const { phase, receipt, problem, assignment, entries, handing } = sitting;
  const common = { work, place };
  const onGo = (index: number): void => act({ type: "go", index });
  if (handing && place.session) return <Leaving session={place.session} work={work} />;
  if (phase === "learning") return <Learning work={work} place={place} />;
  if (phase === "asking") return <Asking work={work} onOpen={onOpen} />;
  if (phase === "summary" || phase === "sending")
    return <Summary sitting={sitting} onGo={onGo} onSubmit={submit} onNext={look} />;
  if (phase === "sent" && receipt) return <Sent {...common} receipt={receipt} />;
  if (phase === "empty" && problem) return <Empty {...common} problem={problem} />;
  if (phase === "error" && problem) return <Failed {...common} problem={problem} kept={entries.some(isDone) && isKept(assignment)} />;
  return <Loading />;
}
