"""Checking a data set that exists: what is doubted in it, and what the check has changed."""
