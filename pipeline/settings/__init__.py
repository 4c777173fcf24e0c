"""A project's settings: ranges, words, versions, and the rules of quality control."""
