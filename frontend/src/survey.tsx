/** The script of the pages on which surveys are answered: all that `work.tsx` has, with other screens and rules. */

import "./work.css";
import "./survey.css";
import { teach } from "./instructions";
import { SURVEY_RULES } from "./instructions/surveys";
import { know } from "./screens";
import { SURVEYS } from "./screens/surveys";
import { start } from "./start";

know(SURVEYS);
teach(SURVEY_RULES);
start();
