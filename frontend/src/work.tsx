/** The script of the pages on which five of the six tasks are done: those whose answer is one of a few. */

import "./work.css";
import "./tasks/letters.css";
import "./tasks/sweep.css";
import type { ProtocolTask } from "./api/types";
import { COREFERENCE_LINK, SWEEPS } from "./tasks/coreference_link";
import { BOX_QUALITY } from "./tasks/box_quality";
import { BOX_COVERAGE } from "./tasks/box_coverage";
import { BOX_REQUIREMENT } from "./tasks/box_requirement";
import { CHAIN_VERIFICATION } from "./tasks/chain_verification";
import { start } from "./start";
import { addLateWords } from "./words/late";
import type { Tasks } from "./tasks/task";

const TASKS: Pick<Tasks, Exclude<ProtocolTask, "box_drawing">> = {
  coreference_link: COREFERENCE_LINK,
  chain_verification: CHAIN_VERIFICATION,
  box_requirement: BOX_REQUIREMENT,
  box_quality: BOX_QUALITY,
  box_coverage: BOX_COVERAGE,
};

// Only projects that ask what is part of what load what this needs; without it their links have two answers.
if (document.querySelector("[data-part-answers]"))
  void addLateWords().then(() => import("./tasks/link_with_parts")).then(({ LINK_WITH_PARTS }) => ({ ...TASKS, coreference_link: LINK_WITH_PARTS }), () => TASKS).then(start);
else if (document.querySelector("[data-sweeps]"))
  void SWEEPS.preload().then(({ LINK_WITH_SWEEPS }) => ({ ...TASKS, coreference_link: LINK_WITH_SWEEPS }), () => TASKS).then(start);
else start(TASKS);
