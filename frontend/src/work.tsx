/** The script of the pages on which the six tasks are done. */

import "./work.css";
import { know } from "./screens";
import { PROTOCOL } from "./screens/protocol";
import { start } from "./start";

know(PROTOCOL);
start();
