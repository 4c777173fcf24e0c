"""The format of COCO: captions, instances, pictures."""
