"""Known answers and their mix."""
