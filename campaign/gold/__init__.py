"""Known questions made by the project's own reviewers, and proposed from finished images."""
