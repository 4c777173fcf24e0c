/** The script of the pages on which boxes are drawn: no other page loads what drawing needs. */

import "./work.css";
import { start } from "./start";
import { BOX_DRAWING } from "./tasks/box_drawing";

start({ box_drawing: BOX_DRAWING });
