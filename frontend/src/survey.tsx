/** The script of the pages on which surveys are answered: all that `work.tsx` has, with other tasks. */

import "./work.css";
import "./survey.css";
import type { SurveyTask } from "./api/types";
import { start } from "./start";
import { ATOM_VISUAL } from "./tasks/atom_visual";
import { CAPTION_CHECK } from "./tasks/caption_check";
import type { Tasks } from "./tasks/task";

const TASKS: Pick<Tasks, SurveyTask> = { caption_check: CAPTION_CHECK, atom_visual: ATOM_VISUAL };

start(TASKS);
