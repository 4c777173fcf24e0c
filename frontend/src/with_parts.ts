/** The chunk of projects that ask what is part of what: their links take the place of the usual ones. */

export { LINK_WITH_PARTS } from "./tasks/link_with_parts";
