"""Whether anything that a browser receives tells verification questions from real ones."""
