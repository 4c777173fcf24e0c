/** The chunk of projects that ask what is part of what: the screen and the rule of their links take the place of the usual ones. */

import "./words/parts";
import "./rare"; // teaches the usual rules
import { answersOf, ZOOM } from "./keyboard/commands";
import { teach } from "./instructions";
import { LINK_WITH_PARTS } from "./instructions/link_with_parts";
import { know } from "./screens";
import { CHOICES, LinkWithParts } from "./screens/link_with_parts";

know({ coreference_link: { Shown: LinkWithParts, commands: [answersOf(CHOICES), ZOOM] } });
teach({ coreference_link: LINK_WITH_PARTS });
