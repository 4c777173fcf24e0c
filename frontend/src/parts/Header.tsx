import { Icon } from "../canvas/Icon";
import { PAGE } from "../keyboard/commands";
import { Key } from "../keyboard/Key";
import { isHeld, isTest } from "../state/assignment";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import { Lease } from "./Lease";
import { Outgoing } from "./Outgoing";
import { Progress } from "./Progress";
import { t } from "../t";

interface Props {
  context: PageContext;
  work: Work;
  onHelp: () => void;
  onSettings: () => void;
}

/** The project, the progress, the time left, and the help. */
export function Header({ context, work, onHelp, onSettings }: Props) {
  const { phase, entries, index, ended } = work.state;
  const held = isHeld(work.state);
  const going = held && phase !== "learning";
  return (
    <header class="top">
      <Brand {...context} />
      {held && isTest(work.state) && (
        <span class="test">
          <span class="word">{t("Qualification")}</span> {t("test")}
        </span>
      )}
      {going && <Progress entries={entries} index={index} onGo={(to) => work.act({ type: "go", index: to })} />}
      {going && <Outgoing work={work} />}
      {held && !ended && <Lease ends={work.ends} onEnd={() => work.act({ type: "time is up" })} />}
      <button type="button" class="plain help" data-help onClick={onHelp}>
        {PAGE.help.label} <Key name={PAGE.help.keys[0]} />
      </button>
      <button type="button" class="plain settings" data-settings aria-label={t("Settings")} title={t("Settings")} onClick={onSettings}>
        <Icon name="settings" />
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
    <a class="brand" href={home} title={t("Home")}>
      {inside}
    </a>
  );
}
