import type { ProtocolTask } from "../api/types";
import { BoxCoverage } from "./box_coverage";
import { BoxDrawing } from "./box_drawing";
import { BoxQuality } from "./box_quality";
import { BoxRequirement } from "./box_requirement";
import { ChainVerification } from "./chain_verification";
import { CoreferenceLink } from "./coreference_link";
import type { Screens } from "./index";

/** The screens of the six tasks. */
export const PROTOCOL: Pick<Screens, ProtocolTask> = {
  coreference_link: CoreferenceLink,
  chain_verification: ChainVerification,
  box_requirement: BoxRequirement,
  box_drawing: BoxDrawing,
  box_quality: BoxQuality,
  box_coverage: BoxCoverage,
};
