import type { Rule } from "./example";
import { ManInHat, TwoDogs } from "./scenes";

export const COREFERENCE_LINK: Rule = {
  title: "The same or not?",
  sentences: [
    "Two captions tell of one picture. In each a phrase is marked, A and B.",
    "Say yes if both mean the same person, place or thing, or exactly the same set of them.",
    "Different words can mean the same, and the same words something different: let the picture decide.",
    "Say no if one means more or fewer than the other.",
  ],
  examples: [
    { Scene: ManInHat, captions: ["*A man* looks at us", "*The tourist* stands still"], says: { answer: "Yes" }, why: "One person, called by two names." },
    { Scene: TwoDogs, captions: ["*Two dogs* on the grass", "*A brown dog* stands"], says: { answer: "No" }, why: "B is only one of the two." },
    { Scene: ManInHat, captions: ["*A man* in the park", "He wears *a red hat*"], says: { answer: "No" }, why: "The hat belongs to the man, but is not the man." },
  ],
  keys: [["1 2", "answer"]],
};

export const CHAIN_VERIFICATION: Rule = {
  title: "All the same?",
  sentences: [
    "Several captions tell of one picture. The marked phrases are thought to mean the same.",
    "Say yes only if every one of them means the same thing, or exactly the same set of things.",
    "One phrase that means something else is enough for no.",
    "Different words can mean the same: let the picture decide.",
  ],
  examples: [
    { Scene: TwoDogs, captions: ["*Two dogs* outside", "*A pair of pets*", "*The animals* wait"], says: { answer: "Yes" }, why: "All three mean both dogs." },
    { Scene: TwoDogs, captions: ["*A brown dog* stands", "*The dog* on the left", "*A white dog*"], says: { answer: "No" }, why: "The last one means the other dog." },
    { Scene: ManInHat, captions: ["*A man* waits", "*The tourist*", "*his hat*"], says: { answer: "No" }, why: "A hat is not the man who wears it." },
  ],
  keys: [["1 2", "answer"]],
};
