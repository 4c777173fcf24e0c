/** The parts of the chunk rare.ts, to be shown like any others. */

import type { ComponentChildren } from "preact";
import { Dialog } from "./Dialog";
import { lateParts, type Part } from "./later";
import { Loading } from "./Loading";
import { t } from "../t";

type Chunk = typeof import("../rare");
const { later, preload } = lateParts((): Promise<Chunk> => import("../rare"));

/** Load all parts before one is shown. */
export const preloadRare = preload;

interface Closing {
  onClose: () => void;
}
const inDialog = (words: ComponentChildren, { onClose }: Closing) => (
  <Dialog title={t("Not loaded")} onClose={onClose}>
    {words}
  </Dialog>
);
const onPage = (words: ComponentChildren) => (
  <main class="card">
    <h1>{t("Not loaded")}</h1>
    {words}
  </main>
);
const dialog = <Props extends Closing>(part: (chunk: Chunk) => Part<Props>) => later<Props>(part, { failed: inDialog });

export const Learning = later((rare) => rare.Learning, { waiting: Loading, failed: onPage });
export const Tested = later((rare) => rare.Tested, {
  waiting: Loading,
  failed: (words, { message }) => onPage([<p role="status">{message}</p>, words]),
});
export const Guide = later((rare) => rare.Guide, { failed: (words) => <div class="guide">{words}</div> });
export const Numbers = later((rare) => rare.Numbers, { failed: (words) => <div class="numbers">{words}</div> });
export const Instructions = dialog((rare) => rare.Instructions);
export const ReturnDialog = dialog((rare) => rare.ReturnDialog);
export const SettingsDialog = dialog((rare) => rare.SettingsDialog);
export const SkipDialog = dialog((rare) => rare.SkipDialog);
export const ReportDialog = dialog((rare) => rare.ReportDialog);
export const AskDialog = dialog((rare) => rare.AskDialog);
