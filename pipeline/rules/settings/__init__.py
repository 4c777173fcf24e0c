"""A project's protocol settings, their ranges, and the rules of quality control. Imports `linking` and `tasks`."""
