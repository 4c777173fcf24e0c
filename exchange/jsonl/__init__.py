"""The format JSON Lines: a project with its whole record. Export only."""
