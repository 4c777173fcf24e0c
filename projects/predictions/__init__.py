"""Predictions of programs: read from files or calls, entered in the record as pre-annotations, and scored."""
