"""Guessed judgments that the rules of trust let through, and good workers whom they bar [paper 3.3, table 3]."""
