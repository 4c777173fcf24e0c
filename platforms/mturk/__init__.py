"""Amazon Mechanical Turk as a platform (docs/mturk.md)."""

NAME = "mturk"
