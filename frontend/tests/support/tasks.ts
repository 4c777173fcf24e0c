/** Every task; a page has those of its entry. */

import type { Task } from "../../src/api/types";
import { ATOM_VISUAL } from "../../src/tasks/atom_visual";
import { BOX_COVERAGE } from "../../src/tasks/box_coverage";
import { BOX_DRAWING } from "../../src/tasks/box_drawing";
import { BOX_QUALITY } from "../../src/tasks/box_quality";
import { BOX_REQUIREMENT } from "../../src/tasks/box_requirement";
import { CAPTION_CHECK } from "../../src/tasks/caption_check";
import { CHAIN_VERIFICATION } from "../../src/tasks/chain_verification";
import { COREFERENCE_LINK } from "../../src/tasks/coreference_link";
import type { Rule, Tasks, TaskScreen } from "../../src/tasks/task";

export const TASKS: Tasks = {
  coreference_link: COREFERENCE_LINK,
  chain_verification: CHAIN_VERIFICATION,
  box_requirement: BOX_REQUIREMENT,
  box_drawing: BOX_DRAWING,
  box_quality: BOX_QUALITY,
  box_coverage: BOX_COVERAGE,
  caption_check: CAPTION_CHECK,
  atom_visual: ATOM_VISUAL,
};

export const taskOf = (task: Task): TaskScreen<Task> => TASKS[task] as unknown as TaskScreen<Task>;

export const ruleOf = (task: Task): Rule => TASKS[task].rule;
