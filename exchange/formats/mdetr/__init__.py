"""MDETR's JSON, which GLIP and mmdetection read, too: a row for each caption."""
