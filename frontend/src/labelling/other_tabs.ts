/** Tabs of one browser tell each other which assignments they have ended. */

import { useEffect } from "preact/hooks";
import type { Assignment } from "../api/types";
import type { Ended } from "./assignment";

const NAME = "chainbox assignments";

/** A channel; null in a browser without, or in a frame that may have none: there the next heartbeat tells. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(NAME);
  } catch {
    return null;
  }
}

export function tellOtherTabs(ended: Ended): void {
  const channel = openChannel();
  channel?.postMessage(ended);
  channel?.close();
}

/** Call `onEnd` when another tab has ended the assignment that this one holds. */
export function useOtherTabs(held: Assignment | null, onEnd: (ended: Ended) => void): void {
  useEffect(() => {
    const channel = held && openChannel();
    if (!channel) return;
    channel.onmessage = ({ data }: MessageEvent<Ended>): void => {
      if (data.token === held.token) onEnd(data);
    };
    return () => channel.close();
  }, [held, onEnd]);
}
