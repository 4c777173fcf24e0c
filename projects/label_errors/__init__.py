"""Checks of data sets that exist: doubtful labels, progress and error rates."""
