"""Overlap of the boxes of an image [paper 3.4]: how close each is to another, and which lie inside another."""

from collections.abc import Sequence

from annotation.rules.box import Box, iou


def closest(boxes: Sequence[Box]) -> list[float]:
    """Return the highest IOU of each box with another box of the image; 0.0 for an image's only box."""
    best = [0.0] * len(boxes)
    for a, first in enumerate(boxes):
        for b in range(a + 1, len(boxes)):
            overlap = iou(first, boxes[b])
            best[a] = max(best[a], overlap)
            best[b] = max(best[b], overlap)
    return best


def enclosed(boxes: Sequence[Box]) -> int:
    """Count the boxes that lie completely inside another. Edges may touch; two equal boxes enclose each other."""
    return sum(any(a != b and _inside(box, boxes[b]) for b in range(len(boxes))) for a, box in enumerate(boxes))


def _inside(inner: Box, outer: Box) -> bool:
    return outer.x0 <= inner.x0 and outer.y0 <= inner.y0 and inner.x1 <= outer.x1 and inner.y1 <= outer.y1
