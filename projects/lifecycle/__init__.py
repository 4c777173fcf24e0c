"""Life of a project: made, started, paused, finished, archived."""
