"""The state of one image, its JSON, and its rows."""
