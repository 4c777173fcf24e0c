"""The format of Flickr30k Entities: sentence files, annotation files, pictures."""
