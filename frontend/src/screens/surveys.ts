import type { SurveyTask } from "../api/types";
import { answersOf, ZOOM } from "../keyboard/commands";
import { STEPS, WORDS } from "../keyboard/words";
import * as atom from "./atom_visual";
import { CaptionCheck, choices } from "./caption_check";
import type { Screens } from "./index";

/** The screens of the surveys. */
export const SURVEYS: Pick<Screens, SurveyTask> = {
  caption_check: { Shown: CaptionCheck, commands: [answersOf(choices(false)), WORDS, STEPS, ZOOM] },
  atom_visual: { Shown: atom.AtomVisual, commands: [answersOf(atom.CHOICES)] },
};
