"""The whole set: as many images as Flickr30k through the service, from the import to the export."""
