"""The annotated data: projects, images, captions, phrases, chains, boxes and stored pictures, and what holds of them."""
