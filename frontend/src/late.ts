/** The chunk that is loaded when it is first needed: what newcomers read, and rare dialogs. labelling/views/late.tsx shows its parts. */

import "./late.css";

export { Numbers } from "./canvas/Numbers";
export { AskDialog } from "./labelling/views/AskDialog";
export { Learning } from "./labelling/views/Learning";
export { ReportDialog, ReturnDialog, SkipDialog } from "./labelling/views/QuestionDialogs";
export { SettingsDialog } from "./labelling/views/SettingsDialog";
export { Tested } from "./labelling/views/Tested";
export { Guide, Instructions } from "./tasks/Instructions";
