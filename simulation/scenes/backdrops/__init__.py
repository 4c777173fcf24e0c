"""Backdrops: what is painted behind the entities of a scene and never has a box of its own."""
