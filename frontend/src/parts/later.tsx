/** Parts of the page whose code is loaded when they are first shown. */

import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../t";

export type Part<Props> = (props: Props) => VNode | null;

/** The page while a part is loaded, and around the words that it could not be loaded. */
interface Around<Props> {
  waiting?: () => VNode;
  failed: (words: ComponentChildren, props: Props) => VNode;
}

/** Returns `preload`, and `later`, which makes a component of each part of the chunk. What failed is tried again when next shown. */
export function lateParts<Chunk>(load: () => Promise<Chunk>) {
  let chunk: Chunk | null = null;
  const preload = async (): Promise<void> => {
    chunk = await load();
  };

  function later<Props extends object>(part: (chunk: Chunk) => Part<Props>, { waiting, failed }: Around<NoInfer<Props>>) {
    return function Later(props: Props): VNode | null {
      const [state, set] = useState<"waiting" | "failed" | "loaded">(chunk ? "loaded" : "waiting");
      useEffect(() => {
        // The chunk may have come meanwhile: the part is shown only when the state says so.
        if (state === "waiting") preload().then(() => set("loaded"), () => set("failed"));
      }, []);
      if (chunk) {
        const Part = part(chunk);
        return <Part {...props} />;
      }
      return state === "failed" ? failed(<NotLoaded />, props) : (waiting?.() ?? null);
    };
  }
  return { later, preload };
}

/** Browsers may remember that a script could not be loaded: only a new page asks for it again for certain. */
const NotLoaded = () => (
  <>
    <p role="alert">{t("This part of the page could not be loaded. Check your connection, then load the page again.")}</p>
    <div class="row">
      <button type="button" data-reload onClick={() => location.reload()}>
        {t("Load the page again")}
      </button>
    </div>
  </>
);
