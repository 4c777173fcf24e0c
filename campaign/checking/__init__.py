"""Data sets that exist: what is doubtful, what a check changed, and the corrected set."""
