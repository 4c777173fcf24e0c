import type { Rule } from "./example";
import { ManInHat, TwoDogs } from "./scenes";

export const COREFERENCE_LINK: Rule = {
  title: "The same thing or not?",
  sentences: [
    "Two captions describe one picture. A phrase is marked in each of them: A and B.",
    "Answer yes if both mean the same person, place or thing, or exactly the same group of them.",
    "Different words can mean the same thing, and the same words can mean different things: let the picture decide.",
    "Answer no if one of them means more things than the other.",
  ],
  examples: [
    { Scene: ManInHat, captions: ["*A man* looks at us", "*The tourist* stands still"], says: { answer: "Yes" }, why: "One person, described in two ways." },
    { Scene: TwoDogs, captions: ["*Two dogs* on the grass", "*A brown dog* stands"], says: { answer: "No" }, why: "B is only one of the two dogs." },
    { Scene: ManInHat, captions: ["*A man* in the park", "He wears *a red hat*"], says: { answer: "No" }, why: "The hat belongs to the man, but is not the man." },
  ],
  keys: [["1 2", "answer"]],
};

export const CHAIN_VERIFICATION: Rule = {
  title: "All the same thing?",
  sentences: [
    "Several captions describe one picture. Their marked phrases seem to mean the same thing.",
    "Answer yes only if all of them mean the same thing, or exactly the same group of things.",
    "Answer no if even one phrase means something else.",
    "Different words can mean the same thing: let the picture decide.",
  ],
  examples: [
    { Scene: TwoDogs, captions: ["*Two dogs* outside", "*A pair of pets*", "*The animals* wait"], says: { answer: "Yes" }, why: "All three mean both dogs." },
    { Scene: TwoDogs, captions: ["*A brown dog* stands", "*The dog* on the left", "*A white dog*"], says: { answer: "No" }, why: "The last one means the other dog." },
    { Scene: ManInHat, captions: ["*A man* waits", "*The tourist*", "*his hat*"], says: { answer: "No" }, why: "The hat is not the man who wears it." },
  ],
  keys: [["1 2", "answer"]],
};
