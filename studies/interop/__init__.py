"""Exports as the field's own, unmodified readers read them, counted thing by thing."""
