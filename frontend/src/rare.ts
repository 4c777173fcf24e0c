/** The chunk that is loaded when it is first needed: what newcomers read, and rare dialogs. parts/Rare.tsx shows its parts. */

import "./rare.css";
import { teach } from "./instructions";
import { PROTOCOL_RULES } from "./instructions/protocol";

export { Numbers } from "./canvas/Numbers";
export { Guide, Instructions } from "./instructions/Instructions";
export { AskDialog } from "./parts/AskDialog";
export { Learning } from "./parts/Learning";
export { ReportDialog } from "./parts/ReportDialog";
export { ReturnDialog } from "./parts/ReturnDialog";
export { SettingsDialog } from "./parts/SettingsDialog";
export { SkipDialog } from "./parts/SkipDialog";
export { Tested } from "./parts/Tested";

teach(PROTOCOL_RULES);
