"""Made-up narrations of drawn scenes: long captions with pronouns, sets and parts, and chains that are known."""
