import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Api } from "../api/client";
import type { Assignment } from "../api/types";
import type { PageContext } from "../state/calls";
import { isDone, isDrawn, unsentComments } from "../state/assignment";
import { readDraft } from "../state/draft";
import { PAGE } from "../keyboard/commands";
import { CharacterKeys, type Runs, useCommands } from "../keyboard/useCommands";
import { WayContext, wayOf } from "../state/preferences";
import { useWork, type Work } from "../state/use_work";
import { Asking } from "./Asking";
import { Boundary } from "./Boundary";
import { Dialogs, type Opened } from "./Dialogs";
import { Earlier } from "./Earlier";
import { Empty, Failed, Sent } from "./Ends";
import { Header } from "./Header";
import { Loading } from "./Loading";
import { Notices } from "./Notices";
import { Learning, preloadRare } from "./Rare";
import { Leaving } from "./SessionEnds";
import { Summary } from "./Summary";
import { t } from "../t";

interface Props {
  root: HTMLElement;
  context: PageContext;
  api: Api;
}

/** A held Enter from the last question must not press the button of the next page. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter" && event.target instanceof HTMLButtonElement) event.preventDefault();
}

/** The whole labelling page. */
export function Page({ root, context, api }: Props) {
  const work = useWork(context, api);
  const { act, state, readsSoon } = work;
  const { phase, index, entries, ended, handing } = state;
  const [opened, open] = useState<Opened>(null);
  const going = phase === "asking" || phase === "summary";
  const turn = (by: number) => () => act({ type: "go", index: index + by });
  const turns = { back: turn(-1), onward: turn(1) };
  // An unconfirmed box or a comment without an answer would be left out: show the summary first, which says so.
  const incomplete = phase === "asking" && (entries.some(isDrawn) || unsentComments(entries).length > 0);
  const submitNow = incomplete ? (): void => act({ type: "go", index: entries.length }) : work.submit;
  const help = (): void => open("help");
  useEffect(() => {
    if (readsSoon) preloadRare().catch(() => undefined); // the part itself says so when it is shown
  }, [readsSoon]);
  useLayoutEffect(() => {
    Object.assign(root.dataset, { state: handing ? "leaving" : phase, index: String(index), total: String(entries.length), ahead: state.next ? "ready" : "" });
  }, [phase, handing, index, entries.length, state.next]);
  return (
    <CharacterKeys.Provider value={work.preferences.now.one_letter_keys}>
      <div class={`work ${phase}`} onKeyDown={ignoreHeldEnter}>
        <Keys runs={{ help, ...(going && turns) }} />
        <Header context={context} work={work} onHelp={help} onSettings={() => open("settings")} />
        <Notices trouble={work.trouble} ended={ended && going} onSubmit={submitNow}>
          <Earlier {...work.earlier} />
        </Notices>
        <WayContext.Provider value={wayOf(work.preferences.now, context.drawBy)}>
          <Boundary onward={<button type="button" data-reload onClick={() => location.reload()}>{t("Load the page again")}</button>}>
            <Body work={work} context={context} onOpen={open} />
          </Boundary>
        </WayContext.Provider>
        <p class="unseen" role="status">
          {phase === "asking" ? t("Question {i} of {n}", { i: index + 1, n: entries.length }) : ""}
        </p>
        <Dialogs opened={opened} open={open} context={context} work={work} />
      </div>
    </CharacterKeys.Provider>
  );
}

/** The keys of the page, inside of what knows whether they act. */
function Keys({ runs }: { runs: Runs<typeof PAGE> }) {
  useCommands(PAGE, runs);
  return null;
}

/** Whether this browser keeps the draft. Some browsers forbid storage in a frame. */
const isKept = (assignment: Assignment | null): boolean => assignment !== null && readDraft(assignment.token) !== null;

function Body({ work, context, onOpen }: { work: Work; context: PageContext; onOpen: (dialog: Opened) => void }) {
  const { state, act, examples, look, submit } = work;
  const { phase, receipt, problem, assignment, entries, handing } = state;
  const common = { work, context };
  const onGo = (index: number): void => act({ type: "go", index });
  if (handing && context.session) return <Leaving session={context.session} work={work} />;
  if (phase === "learning" && examples) return <Learning {...common} examples={examples} />;
  if (phase === "asking") return <Asking work={work} onOpen={onOpen} />;
  if (phase === "summary" || phase === "sending")
    return <Summary state={state} onGo={onGo} onSubmit={submit} onNext={look} />;
  if (phase === "sent" && receipt) return <Sent {...common} receipt={receipt} />;
  if (phase === "empty" && problem) return <Empty {...common} problem={problem} />;
  if (phase === "error" && problem) return <Failed {...common} problem={problem} kept={entries.some(isDone) && isKept(assignment)} />;
  return <Loading />;
}
