/** The chunk that is loaded when it is first needed: what newcomers read, and rare dialogs. labelling/views/late.tsx shows its parts. */

export { Learning } from "./labelling/views/Learning";
export { Tested } from "./labelling/views/Learning";
export { SettingsDialog } from "./labelling/views/LateDialogs";
export { AskDialog } from "./labelling/views/LateDialogs";
export { Guide, Instructions } from "./tasks/Instructions";
export { ReportDialog, ReturnDialog, SkipDialog } from "./labelling/views/LateDialogs";
