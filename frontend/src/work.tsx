/** The script of the pages on which the six tasks are done. */

import "./work.css";
import { know } from "./screens";
import { CoreferenceLinkWithParts } from "./screens/coreference_link";
import { PROTOCOL } from "./screens/protocol";
import { start } from "./start";
import { asksParts } from "./state/part_answers";

know(PROTOCOL);
if (asksParts()) know({ coreference_link: CoreferenceLinkWithParts });
start();
