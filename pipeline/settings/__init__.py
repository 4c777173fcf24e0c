"""A project's protocol settings: their ranges, words and versions, and the rules of quality control."""
