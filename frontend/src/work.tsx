/** The script of the pages on which the six tasks are done. */

import "./work.css";
import { know } from "./screens";
import { PROTOCOL } from "./screens/protocol";
import { start } from "./start";

know(PROTOCOL);
// Only projects that ask what is part of what load what this needs; without it their links have two answers.
if (document.querySelector("[data-part-answers]")) void import("./with_parts").catch(() => undefined).then(start);
else start();
