"""A project: its tasks, its settings and their versions, and the questions that are open."""
