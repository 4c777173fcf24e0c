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
  title: "Is there something to box?",
  sentences: [
    "Answer 1 if at least one thing that the phrase means can be seen and has an outline: a person, an animal, a thing.",
    "Answer 2 if the phrase means the scene or place as a whole.",
    "Answer 3 if what it means is not in the picture, or is an action or something that cannot be touched.",
  ],
  examples: [
    { Scene: ManInHat, marks: [{ box: [47, 4, 26, 15] }], captions: ["A man in *a red hat*"], says: { answer: "1" }, why: "It can be seen, and a box fits around it." },
    { Scene: Street, captions: ["A woman crosses *a city street*"], says: { answer: "2" }, why: "It is the place where all of this happens." },
    { Scene: ManInHat, captions: ["A man poses for *the camera*"], says: { answer: "3" }, why: "The camera is not in the picture." },
    { Scene: TwoDogs, captions: ["Two dogs wait for *some fun*"], says: { answer: "3" }, why: "Fun is nothing that a box can hold." },
  ],
  keys: [["1 2 3", "answer"], ZOOM],
};

export const BOX_DRAWING: Rule = {
  title: "Draw one box",
  sentences: [
    "Draw one box around one thing that the marked phrase means. Others will draw the next one.",
    "The box holds the whole thing and touches it on all four sides.",
    "Things that can be told apart get a box each; a crowd gets one box.",
    "Then confirm it: a box that is drawn but not confirmed is not sent.",
    "What has a dashed box is done. If nothing is left, or there is nothing to draw, say so.",
  ],
  examples: [
    { Scene: ManInHat, marks: [{ box: MAN }], captions: ["*A man* in a red hat"], says: "right", why: "Tight, and all of him." },
    { Scene: ManInHat, marks: [{ box: [30, 0, 62, 80] }], captions: ["*A man* in a red hat"], says: "wrong", why: "Too loose." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }, { box: RIGHT_DOG }], captions: ["*Two dogs* outside"], says: "right", why: "The second dog gets its own box." },
    { Scene: TwoDogs, marks: [{ box: BOTH_DOGS }], captions: ["*Two dogs* outside"], says: "wrong", why: "They can be told apart: one box each." },
    { Scene: Crowd, marks: [{ box: CROWD }], captions: ["*A crowd* has come"], says: "right", why: "One box for people who cannot be told apart." },
  ],
  keys: [
    ["Enter", "this is my box"],
    ["n", "none is missing"],
    ["drag", "draw a box; pull its edges and corners, or move it"],
    ["b", "put a box in the middle"],
    ["arrows", "move it by a pixel, with Shift by ten"],
    ["e", "what arrows move: the box or a corner"],
    ["x", "remove it"],
    ["Ctrl Z", "undo"],
    ["#", "as numbers"],
    ZOOM,
  ],
};

export const BOX_QUALITY: Rule = {
  title: "Is the new box good?",
  sentences: [
    "Good: the new box is tight around the whole of one thing that the marked phrase means.",
    "Bad: it cuts something off, is too loose, holds several things that can be told apart, or the wrong one.",
    "Bad, too: the thing has a dashed box already.",
    "A crowd whose people cannot be told apart gets one box.",
  ],
  examples: [
    { Scene: ManInHat, marks: [{ box: MAN }], captions: ["*A man* in a red hat"], says: { answer: "Good" }, why: "Tight, and all of him." },
    { Scene: ManInHat, marks: [{ box: [48, 20, 24, 32] }], captions: ["*A man* in a red hat"], says: { answer: "Bad" }, why: "Head and legs are cut off." },
    { Scene: TwoDogs, marks: [{ box: BOTH_DOGS }], captions: ["*Two dogs* outside"], says: { answer: "Bad" }, why: "Two dogs need two boxes." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }, { box: [14, 38, 42, 36] }], captions: ["*Two dogs* outside"], says: { answer: "Bad" }, why: "This dog has a box already." },
  ],
  keys: [YES_NO, ["z", "from near, or the whole picture"], ZOOM],
};

export const BOX_COVERAGE: Rule = {
  title: "Are all boxes there?",
  sentences: [
    "All there: everything that the marked phrase means has a box.",
    "More needed: something that it means has none.",
    "Things that can be told apart need a box each; a crowd needs one.",
    "What the phrase does not mean needs none, even if it is beside it.",
  ],
  examples: [
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }, { box: RIGHT_DOG, old: true }], captions: ["*Two dogs* outside"], says: { answer: "All there" }, why: "Each dog has one." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }], captions: ["*Two dogs* outside"], says: { answer: "More needed" }, why: "The white dog has none." },
    { Scene: TwoDogs, marks: [{ box: LEFT_DOG, old: true }], captions: ["*A brown dog* outside"], says: { answer: "All there" }, why: "The white dog is not meant." },
    { Scene: Crowd, marks: [{ box: CROWD, old: true }], captions: ["*A crowd* has come"], says: { answer: "All there" }, why: "One box is enough for a crowd." },
  ],
  keys: [YES_NO, ZOOM],
};
