"""Data sets: two versions of one compared, label by label."""
