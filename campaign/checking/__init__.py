"""Checks of data sets that exist: doubtful labels, changes, error rates, and the corrected set."""
