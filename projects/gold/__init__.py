"""Known questions made by the project's own reviewers, and suggested from finished images."""
