/** A scene of few tasks: it stands alone, so that the page of drawing does not load it. */

import { BROWN, PALE, person, picture, RED, SKY, STONE } from "./examples";

export const STREET = picture(
  `${SKY}<path fill="${BROWN}" d="M0 18h30v40H0zM84 12h36v46H84z"/><path fill="${STONE}" d="M0 58h120v22H0z"/>` +
    `<path fill="${PALE}" d="M32 28h24v30H32zM6 24h7v9H6zm11 0h7v9h-7zM92 20h8v10h-8zm13 0h8v10h-8zM8 68h18v2H8zm32 0h18v2H40zm32 0h18v2H72z"/>` +
    person(68, RED, 0.6),
);
