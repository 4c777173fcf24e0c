"""Template tags of the pages for workers."""
