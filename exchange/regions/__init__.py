"""Data sets of sentences about one region each: referring expressions, and descriptions of regions."""
