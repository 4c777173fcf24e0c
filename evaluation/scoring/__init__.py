"""Scores that several systems use: overlaps, recall, intervals."""
