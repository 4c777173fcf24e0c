"""Admin pages of what is annotated, from projects to gold, and of their settings."""
