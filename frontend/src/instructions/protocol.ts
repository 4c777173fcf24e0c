import type { ProtocolTask } from "../api/types";
import { BOX_COVERAGE, BOX_DRAWING, BOX_QUALITY, BOX_REQUIREMENT } from "./boxes";
import type { Rule } from "./example";
import { CHAIN_VERIFICATION, COREFERENCE_LINK } from "./links";

/** The rules of the six tasks. */
export const PROTOCOL_RULES: Record<ProtocolTask, Rule> = {
  coreference_link: COREFERENCE_LINK,
  chain_verification: CHAIN_VERIFICATION,
  box_requirement: BOX_REQUIREMENT,
  box_drawing: BOX_DRAWING,
  box_quality: BOX_QUALITY,
  box_coverage: BOX_COVERAGE,
};
