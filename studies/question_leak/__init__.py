"""Attempts to tell verification questions from real ones by all that a worker can see."""
