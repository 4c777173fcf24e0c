"""The place in which Django looks for commands."""
