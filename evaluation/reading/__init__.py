"""The files that a step reads: exports of Flickr30k Entities, COCO, JSON Lines, as folders or archives."""
