import type { Rule } from "./example";
import { Crowd, ManInHat, Street, TwoDogs } from "./scenes";

const MAN = [48, 4, 24, 68] as const;
const LEFT_DOG = [12, 36, 44, 38] as const;
const RIGHT_DOG = [64, 36, 44, 38] as const;
const BOTH_DOGS = [12, 36, 96, 38] as const;
const CROWD = [5, 28, 109, 44] as const;

const YES_NO = ["1 2", "answer"] as const;
const ZOOM = ["+ − 0", "zoom in, zoom out, whole picture"] as const;

export const BOX_REQUIREMENT: Rule = {
  title: "Is there something to draw a box around?",
  sentences: [
    "Answer 1 if you can see at least one thing that the phrase means, and it has an outline: a person, an animal, an object.",
    "Answer 2 if the phrase means the scene or place as a whole.",
    "Answer 3 if the picture does not show what the phrase means, or if it is an action or something you cannot touch.",
  ],
  examples: [
    { Scene: ManInHat, marks: [{ box: [47, 4, 26, 15] }], captions: ["A man in *a red hat*"], says: { answer: "1" }, why: "You can see it, and a box fits around it." },
    { Scene: Street, captions: ["A woman crosses *a city street*"], says: { answer: "2" }, why: "It is the place where everything happens." },
    { Scene: ManInHat, captions: ["A man poses for *the camera*"], says: { answer: "3" }, why: "The camera is not in the picture." },
    { Scene: TwoDogs, captions: ["Two dogs wait for *some fun*"], says: { answer: "3" }, why: "You cannot draw a box around fun." },
  ],
  keys: [["1 2 3", "answer"], ZOOM],
};

export const BOX_DRAWING: Rule = {
  title: "Draw one box",
  sentences: [
    "Draw one box around one thing that the marked phrase means. Other people draw the next one.",
    "The box holds the whole thing and touches it on all four sides.",
    "Things that you can tell apart get a box each; a crowd gets one box.",
    "Then confirm your box: without that it is not sent.",
    "Things with a dashed box are done. If no box is missing, or there is nothing to draw, press the button that says so.",
  ],
  examples: [
    { Scene: ManInHat, marks: [{ box: MAN }], captions: ["*A man* in a red hat"], says: "right", why: "Tight, and all of him." },
    { Scene: ManInHat, marks: [{ box: [30, 0, 62, 80] }], captions: ["*A man* in a red hat"], says: "wrong", why: "Too loose." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }, { box: RIGHT_DOG }], captions: ["*Two dogs* outside"], says: "right", why: "The second dog gets a box of its own." },
    { Scene: TwoDogs, marks: [{ box: BOTH_DOGS }], captions: ["*Two dogs* outside"], says: "wrong", why: "You can tell them apart: one box each." },
    { Scene: Crowd, marks: [{ box: CROWD }], captions: ["*A crowd* has come"], says: "right", why: "One box for people you cannot tell apart." },
  ],
  keys: [
    ["Enter", "this is my box"],
    ["n", "none is missing"],
    ["drag", "draw a box; pull its edges and corners, or move it"],
    ["b", "put a box in the middle"],
    ["arrows", "move it by a pixel, with Shift by ten"],
    ["e", "choose what arrows move: the box or a corner"],
    ["x", "remove it"],
    ["Ctrl Z", "undo"],
    ["#", "type the box as numbers"],
    ZOOM,
  ],
};

export const BOX_QUALITY: Rule = {
  title: "Is the new box good?",
  sentences: [
    "Good: the new box is tight around one whole thing that the marked phrase means.",
    "Bad: it cuts something off, is too loose, or holds the wrong thing or several things that you can tell apart.",
    "Also bad: the thing already has a dashed box.",
    "A crowd of people you cannot tell apart gets one box.",
  ],
  examples: [
    { Scene: ManInHat, marks: [{ box: MAN }], captions: ["*A man* in a red hat"], says: { answer: "Good" }, why: "Tight, and all of him." },
    { Scene: ManInHat, marks: [{ box: [48, 20, 24, 32] }], captions: ["*A man* in a red hat"], says: { answer: "Bad" }, why: "The head and the legs are cut off." },
    { Scene: TwoDogs, marks: [{ box: BOTH_DOGS }], captions: ["*Two dogs* outside"], says: { answer: "Bad" }, why: "Two dogs need two boxes." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }, { box: [14, 38, 42, 36] }], captions: ["*Two dogs* outside"], says: { answer: "Bad" }, why: "This dog already has a box." },
  ],
  keys: [YES_NO, ["z", "zoom to the box, or show the whole picture"], ZOOM],
};

export const BOX_COVERAGE: Rule = {
  title: "Are all boxes there?",
  sentences: [
    "All there: everything that the marked phrase means has a box.",
    "More needed: something that the phrase means has no box.",
    "Things that you can tell apart need a box each; a crowd needs one.",
    "Other things need no box, even if they are close by.",
  ],
  examples: [
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }, { box: RIGHT_DOG, old: true }], captions: ["*Two dogs* outside"], says: { answer: "All there" }, why: "Each dog has a box." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }], captions: ["*Two dogs* outside"], says: { answer: "More needed" }, why: "The white dog has no box." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }], captions: ["*A brown dog* outside"], says: { answer: "All there" }, why: "The phrase does not mean the white dog." },
    { Scene: Crowd, marks: [{ box: CROWD, old: true }], captions: ["*A crowd* has come"], says: { answer: "All there" }, why: "One box is enough for a crowd." },
  ],
  keys: [YES_NO, ZOOM],
};
