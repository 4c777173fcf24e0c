/** German. The page of a reader of German loads this script before its own. */

import WORDS from "./de.json";

Object.assign(globalThis, { WORDS });
