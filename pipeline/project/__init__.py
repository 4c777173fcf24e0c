"""A project's tasks, versions of settings, open questions."""
