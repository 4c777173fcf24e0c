/** How the worker likes to work, and what follows for drawing. */

import { createContext } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Preferences } from "../api/types";
import type { DrawBy, Way } from "../canvas/useBoxEditor";

export const DEFAULTS: Preferences = { send_by_itself: false, draw_by: null, confirm_by_double_click: false, one_letter_keys: true };

/** Read the preferences from an attribute of the page. */
export const readPreferences = (text = ""): Preferences => ({ ...DEFAULTS, ...(JSON.parse(text || "{}") as Partial<Preferences>) });

/** How boxes are drawn and confirmed. */
export const WayContext = createContext<Way>({ by: "drag", doubleClick: false });

/** The worker's way of drawing, or the project's. A double-click never confirms where two clicks draw. */
export function wayOf({ draw_by, confirm_by_double_click }: Preferences, project: DrawBy = "drag"): Way {
  const by = draw_by ?? project;
  return { by, doubleClick: confirm_by_double_click && by !== "two clicks" };
}

export type Change = Partial<Preferences>;

/** The preferences and a function that changes some. They count at once; `save` stores them, one change at a time. */
export function usePreferences(first: Preferences = DEFAULTS, save: (change: Change) => Promise<Preferences | null>) {
  const [now, set] = useState(first);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const change = (some: Change): void => {
    set((before) => ({ ...before, ...some }));
    line.current = line.current.then(() => save(some)).then((stored) => stored ?? set(now));
  };
  return { now, change };
}
