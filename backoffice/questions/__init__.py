"""Admin pages of what is asked and answered, and of the record."""
