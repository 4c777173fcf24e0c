/** The screen of each task. */

import type { Task } from "../api/types";
import { BoxCoverage } from "./box_coverage";
import { BoxDrawing } from "./box_drawing";
import { BoxQuality } from "./box_quality";
import { BoxRequirement } from "./box_requirement";
import { ChainVerification } from "./chain_verification";
import { CoreferenceLink } from "./coreference_link";
import type { Screen } from "./screen";

/** Each screen takes the answers of its own task only, which the server sees to. */
export const SCREENS = {
  coreference_link: CoreferenceLink,
  chain_verification: ChainVerification,
  box_requirement: BoxRequirement,
  box_drawing: BoxDrawing,
  box_quality: BoxQuality,
  box_coverage: BoxCoverage,
} as unknown as Record<Task, Screen>;
