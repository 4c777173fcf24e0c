"""The annotated data: projects, images, captions, phrases, chains, boxes and stored pictures."""
