"""The annotated data: projects, images, captions, chains, boxes and stored pictures."""
