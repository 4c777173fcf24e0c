/** The parts of the chunk late.ts, whose code is loaded when they are first shown. */

import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../t";
import { Dialog } from "../../ui/Dialog";
import { Button } from "../../ui/Button";

type LatePart<Props> = (props: Props) => VNode | null;

/** The words that a part could not be loaded, with what is around them. */
type Failed<Props> = (words: ComponentChildren, props: Props) => VNode;

/** Returns `preload`, and `later`, which makes a component of each part of the chunk. What failed is tried again when next shown. */
export function lateParts<Chunk>(load: () => Promise<Chunk>) {
  let chunk: Chunk | null = null;
  const preload = async (): Promise<Chunk> => (chunk = await load());

  function later<Props extends object>(part: (chunk: Chunk) => LatePart<Props>, failed: Failed<NoInfer<Props>>, waiting: () => VNode | null = () => null) {
    return function Later(props: Props): VNode | null {
      const [state, set] = useState<"waiting" | "failed" | "loaded">(chunk ? "loaded" : "waiting");
      useEffect(() => {
        // The chunk may have come meanwhile: the part is shown only when the state says so.
        if (state === "waiting") preload().then(() => set("loaded"), () => set("failed"));
      }, []);
      if (!chunk) return state === "failed" ? failed(<NotLoaded />, props) : waiting();
      const Part = part(chunk);
      return <Part {...props} />;
    };
  }
  return { later, preload };
}

/** Browsers may remember that a script could not be loaded: only a new page asks for it again for certain. */
const NotLoaded = () => (
  <>
    <p role="alert">{t("This part of the page could not be loaded. Check your connection, then load the page again.")}</p>
    <div class="row"><Button data-reload onClick={() => location.reload()}>{t("Load the page again")}</Button></div>
  </>
);

export function Loading() {
  return (
    <main class="card" data-answers="wait"><p class="quiet" role="status">{t("Loading questions …")}</p></main>
  );
}

type Chunk = typeof import("../../late");
/** `preload` loads all parts before one is shown. */
export const { later, preload } = lateParts((): Promise<Chunk> => import("../../late"));

interface Closing {
  onClose: () => void;
}
const inDialog = (words: ComponentChildren, { onClose }: Closing) => (
  <Dialog title={t("Not loaded")} onClose={onClose}>{words}</Dialog>
);
const onPage = (words: ComponentChildren) => (
  <main class="card">
    <h1>{t("Not loaded")}</h1>
    {words}
  </main>
);
const dialog = <Props extends Closing>(part: (chunk: Chunk) => LatePart<Props>) => later<Props>(part, inDialog);

/** The parts of late.ts, to be shown like any others. */
export const Late = {
  Learning: later((late) => late.Learning, onPage, Loading),
  Tested: later((late) => late.Tested, (words, { message }) => onPage([<p role="status">{message}</p>, words]), Loading),
  Guide: later((late) => late.Guide, (words) => <div class="guide">{words}</div>),
  Instructions: dialog((late) => late.Instructions),
  ReturnDialog: dialog((late) => late.ReturnDialog),
  SettingsDialog: dialog((late) => late.SettingsDialog),
  SkipDialog: dialog((late) => late.SkipDialog),
  ReportDialog: dialog((late) => late.ReportDialog),
  AskDialog: dialog((late) => late.AskDialog),
};
