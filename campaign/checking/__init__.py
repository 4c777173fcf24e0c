"""Checking: the state of a check of a data set, and its labels, the most doubtful first."""
