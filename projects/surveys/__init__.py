"""Surveys in the browser: make one, give it items, and look at its results."""
