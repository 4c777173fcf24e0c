/** The screen of each task. */

import type { AnswerTo, Task } from "../api/types";
import { BoxCoverage } from "./box_coverage";
import { BoxDrawing } from "./box_drawing";
import { BoxQuality } from "./box_quality";
import { BoxRequirement } from "./box_requirement";
import { ChainVerification } from "./chain_verification";
import { CoreferenceLink } from "./coreference_link";
import type { Screen, ScreenProps } from "./screen";

/** Every task needs a screen that takes the answers of this task. */
const SCREENS: { readonly [T in Task]: Screen<AnswerTo<T>> } = {
  coreference_link: CoreferenceLink,
  chain_verification: ChainVerification,
  box_requirement: BoxRequirement,
  box_drawing: BoxDrawing,
  box_quality: BoxQuality,
  box_coverage: BoxCoverage,
};

/** A question of a task. The server sees to it that an answer belongs to its task. */
export function TaskScreen<T extends Task>({ task, ...props }: { task: T } & ScreenProps<AnswerTo<T>>) {
  const Shown: Screen<AnswerTo<T>> = SCREENS[task];
  return <Shown {...props} />;
}
