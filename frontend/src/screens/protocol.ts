import type { ProtocolTask } from "../api/types";
import { answersOf, DRAWING, NEAR, ZOOM } from "../keyboard/commands";
import * as coverage from "./box_coverage";
import { BoxDrawing, NOTHING } from "./box_drawing";
import * as quality from "./box_quality";
import * as requirement from "./box_requirement";
import * as chain from "./chain_verification";
import * as link from "./coreference_link";
import type { Screens } from "./index";

/** The screens of the six tasks. */
export const PROTOCOL: Pick<Screens, ProtocolTask> = {
  coreference_link: { Shown: link.CoreferenceLink, commands: [answersOf(link.CHOICES), ZOOM] },
  chain_verification: { Shown: chain.ChainVerification, commands: [answersOf(chain.CHOICES), ZOOM] },
  box_requirement: { Shown: requirement.BoxRequirement, commands: [answersOf(requirement.CHOICES), ZOOM] },
  box_drawing: { Shown: BoxDrawing, commands: [DRAWING, NOTHING, NEAR, ZOOM] },
  box_quality: { Shown: quality.BoxQuality, commands: [answersOf(quality.CHOICES), NEAR, ZOOM] },
  box_coverage: { Shown: coverage.BoxCoverage, commands: [answersOf(coverage.CHOICES), ZOOM] },
};
