"""WHAT is annotated: projects, images, captions, chains, boxes and stored pictures. Imports no other app."""
