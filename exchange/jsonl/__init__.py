"""The format JSON Lines: a project with everything that led to its result. Export only."""
