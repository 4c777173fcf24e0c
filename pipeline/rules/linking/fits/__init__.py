"""Weights of the prior and error rates, fitted on known chains or on the answers of a project."""
