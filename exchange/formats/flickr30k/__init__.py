"""Flickr30k Entities: `Sentences/` and `Annotations/`."""
