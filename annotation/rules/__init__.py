"""Rules about mentions, types, boxes and their merging, in plain Python. They import no other app."""
