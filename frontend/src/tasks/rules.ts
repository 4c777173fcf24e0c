/** The rules of the six tasks. They are read once, so they come with the late chunk; a survey's rule stands with its screen. */

import type { ProtocolTask, Task } from "../api/types";
import { t } from "../t";
import {
  BOTH_DOGS,
  CROWD,
  LEFT_DOG,
  MAN,
  MAN_IN_HAT,
  PEOPLE,
  RIGHT_DOG,
  STREET,
  TWO_DOGS,
} from "./examples";
import { type Rule, useTask } from "./task";

export const RULES: Readonly<Record<ProtocolTask, Rule>> = {
  coreference_link: {
    title: t("The same thing or not?"),
    sentences: [
      t("Two phrases are marked, A and B, sometimes in one caption of the picture."),
      t("Answer yes if both mean the same person, place or thing, or exactly the same group of them."),
      t("Different words can mean the same thing, and the same words can mean different things: let the picture decide."),
      t("Answer no if one of them means more things than the other."),
    ],
    gesture: t("Find in the picture what A means, then what B means. Then press Yes (1) or No (2)."),
    examples: [
      { scene: MAN_IN_HAT, captions: [t("*A man* looks at us"), t("*The tourist* stands still")], answer: "same", why: t("One person, described in two ways.") },
      { scene: TWO_DOGS, captions: [t("*Two dogs* on the grass"), t("*A brown dog* stands")], answer: "different", why: t("B is only one of the two dogs.") },
      { scene: MAN_IN_HAT, captions: [t("*A man* in the park"), t("He wears *a red hat*")], answer: "different", why: t("The hat belongs to the man, but is not the man.") },
    ],
  },
  chain_verification: {
    title: t("All the same thing?"),
    sentences: [
      t("Several captions describe one picture. Their marked phrases seem to mean the same thing."),
      t("Answer yes only if all of them mean the same thing, or exactly the same group of things."),
      t("Answer no if even one phrase means something else."),
      t("Different words can mean the same thing: let the picture decide."),
    ],
    gesture: t("Read every marked phrase to the last one. Then press Yes (1) or No (2)."),
    examples: [
      { scene: TWO_DOGS, captions: [t("*Two dogs* outside"), t("*A pair of pets*"), t("*The animals* wait")], answer: "true", why: t("All three mean both dogs.") },
      { scene: TWO_DOGS, captions: [t("*A brown dog* stands"), t("*The dog* on the left"), t("*A white dog*")], answer: "false", why: t("The last one means the other dog.") },
      { scene: MAN_IN_HAT, captions: [t("*A man* waits"), t("*The tourist*"), t("*his hat*")], answer: "false", why: t("The hat is not the man who wears it.") },
    ],
  },
  box_requirement: {
    title: t("Is there something to draw a box around?"),
    sentences: [
      t("Answer 1 if you can see at least one thing that the phrase means, and it has an outline: a person, an animal, an object."),
      t("Answer 2 if the phrase means the scene or place as a whole."),
      t("Answer 3 if the picture does not show what the phrase means, or if it is an action or something you cannot touch."),
    ],
    gesture: t("Look for the thing in the picture. Then press one of the three answers (1, 2, 3)."),
    examples: [
      { scene: MAN_IN_HAT, box: [48, 5, 24, 13], captions: [t("A man in *a red hat*")], answer: 1, why: t("You can see it, and a box fits around it.") },
      { scene: STREET, captions: [t("A woman crosses *a city street*")], answer: 2, why: t("It is the place where everything happens.") },
      { scene: MAN_IN_HAT, captions: [t("A man poses for *the camera*")], answer: 3, why: t("The camera is not in the picture.") },
      { scene: TWO_DOGS, captions: [t("Two dogs wait for *some fun*")], answer: 3, why: t("You cannot draw a box around fun.") },
    ],
  },
  box_drawing: {
    title: t("Draw one box"),
    sentences: [
      t("Draw one box around one thing that the marked phrase means. Other people draw the next one."),
      t("The box holds the whole thing and touches it on all four sides."),
      t("Things that you can tell apart get a box each; a crowd gets one box."),
      t("Then confirm your box: without that it is not sent."),
      t("Things with a dashed box are done. If no box is missing, or there is nothing to draw, press the button that says so."),
    ],
    gesture: t(
      "Press on one corner of the thing, drag to the opposite corner and let go: with the mouse or a finger. " +
        "Pull the edges until they touch the thing. Then press Enter, or “This is my box”.",
    ),
    examples: [
      { scene: MAN_IN_HAT, box: MAN, captions: [t("*A man* in a red hat")], answer: "draw", why: t("A good box is tight and holds all of him.") },
      { scene: MAN_IN_HAT, box: [30, 0, 62, 80], captions: [t("*A man* in a red hat")], answer: null, why: t("Too loose.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], box: RIGHT_DOG, captions: [t("*Two dogs* outside")], answer: "draw", why: t("The second dog gets a box of its own.") },
      { scene: TWO_DOGS, box: BOTH_DOGS, captions: [t("*Two dogs* outside")], answer: null, why: t("You can tell them apart: one box each.") },
      { scene: TWO_DOGS, old: [LEFT_DOG, RIGHT_DOG], captions: [t("*Two dogs* outside")], answer: { none_missing: true }, why: t("Each dog has its box already.") },
      { scene: CROWD, box: PEOPLE, captions: [t("*A crowd* has come")], answer: "draw", why: t("One box for people you cannot tell apart.") },
    ],
  },
  box_quality: {
    title: t("Is the new box good?"),
    sentences: [
      t("Good: the new box is tight around one whole thing that the marked phrase means."),
      t("Bad: it cuts something off, is too loose, or holds the wrong thing or several things that you can tell apart."),
      t("Also bad: the thing already has a dashed box."),
      t("A crowd of people you cannot tell apart gets one box."),
    ],
    gesture: t("Follow the four sides of the new box, and zoom in where they are hard to see. Then press Yes (1) or No (2)."),
    examples: [
      { scene: MAN_IN_HAT, box: MAN, captions: [t("*A man* in a red hat")], answer: "good", why: t("The box is tight and holds all of him.") },
      { scene: MAN_IN_HAT, box: [48, 20, 24, 32], captions: [t("*A man* in a red hat")], answer: "bad", why: t("The head and the legs are cut off.") },
      { scene: TWO_DOGS, box: BOTH_DOGS, captions: [t("*Two dogs* outside")], answer: "bad", why: t("Two dogs need two boxes.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], box: [14, 37, 41, 34], captions: [t("*Two dogs* outside")], answer: "bad", why: t("This dog already has a box.") },
    ],
  },
  box_coverage: {
    title: t("Are all boxes there?"),
    sentences: [
      t("All there: everything that the marked phrase means has a box."),
      t("More needed: something that the phrase means has no box."),
      t("Things that you can tell apart need a box each; a crowd needs one."),
      t("Other things need no box, even if they are close by."),
    ],
    gesture: t("Go from thing to thing: does each have a box? Then press Yes (1) or No (2)."),
    examples: [
      { scene: TWO_DOGS, old: [LEFT_DOG, RIGHT_DOG], captions: [t("*Two dogs* outside")], answer: "all there", why: t("Each dog has a box.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], captions: [t("*Two dogs* outside")], answer: "more needed", why: t("The white dog has no box.") },
      { scene: TWO_DOGS, old: [LEFT_DOG], captions: [t("*A brown dog* outside")], answer: "all there", why: t("The phrase does not mean the white dog.") },
      { scene: CROWD, old: [PEOPLE], captions: [t("*A crowd* has come")], answer: "all there", why: t("One box is enough for a crowd.") },
    ],
  },
};

/** The rule of a task, as the page has it. */
export const useRule = (task: Task): Rule => useTask(task).rule ?? RULES[task as ProtocolTask];
