"""Fit priors and trust in programs to a project's answers."""
