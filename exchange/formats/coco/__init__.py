"""COCO: captions and boxes as tables of JSON."""
