import { isHeld, isTest } from "../state/assignment";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import { Lease } from "./Lease";
import { Progress } from "./Progress";

interface Props {
  context: PageContext;
  work: Work;
  onHelp: () => void;
}

/** The project, the progress, the time left, and the help. */
export function Header({ context, work, onHelp }: Props) {
  const { phase, entries, index, ended } = work.state;
  const held = isHeld(work.state);
  const going = held && phase !== "learning";
  return (
    <header class="top">
      <Brand {...context} />
      {held && isTest(work.state) && (
        <span class="test">
          <span class="word">Qualification</span> test
        </span>
      )}
      {going && <Progress entries={entries} index={index} onGo={(to) => work.act({ type: "go", index: to })} />}
      {held && !ended && <Lease ends={work.ends} onEnd={() => work.act({ type: "time is up" })} />}
      <button type="button" class="plain help" data-help onClick={onHelp}>
        How it works <kbd>?</kbd>
      </button>
    </header>
  );
}

/** The project's name, as a link home if there is one. */
function Brand({ title, home }: PageContext) {
  const inside = (
    <>
      <span class="mark" aria-hidden="true" />
      <span>{title}</span>
    </>
  );
  if (!home) return <span class="brand">{inside}</span>;
  return (
    <a class="brand" href={home} title="Home">
      {inside}
    </a>
  );
}
