import type { SurveyTask } from "../api/types";
import { AtomVisual } from "./atom_visual";
import { CaptionCheck } from "./caption_check";
import type { Screens } from "./index";

/** The screens of the surveys. */
export const SURVEYS: Pick<Screens, SurveyTask> = {
  caption_check: CaptionCheck,
  atom_visual: AtomVisual,
};
