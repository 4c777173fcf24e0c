"""Admin pages of verification questions: the list, a project's stock, and how a finished question joins it."""
