/** Whether keys that type a character act on requesters' pages: they can be switched off in this browser. */

import { stored } from "../storage";

const NAME = "chainbox one-letter keys";

export const readCharacterKeys = (): boolean => stored((storage) => storage.getItem(NAME) !== "off", true);

/** Where this fails, the choice counts on this page. */
export const keepCharacterKeys = (on: boolean): void => stored((storage) => storage.setItem(NAME, on ? "on" : "off"), undefined);
