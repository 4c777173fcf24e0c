"""Edge boxes [paper 4.1.2; Zitnick and Dollar 2014]: boxes that hold many whole contours."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evaluation.localization.proposals.edge_map import edge_map
from evaluation.optional import need

LONG_SIDE = 400


def edge_boxes(picture: Image.Image, most: int = 200) -> NDArray[np.float64]:
    """Return at most `most` boxes (n, 4) in pixels, the best score first. Raises MissingExtra without OpenCV.

    A picture whose long side is above 400 pixels is made small first.
    """
    need("cv2", "edge boxes")
    ximgproc = need("cv2.ximgproc", "edge boxes")
    width, height = picture.size
    ratio = min(1.0, LONG_SIDE / max(width, height))
    small = picture.convert("RGB").resize((max(8, round(width * ratio)), max(8, round(height * ratio))))
    strength, direction = edge_map(np.asarray(small))
    # For a target overlap of 0.5 the method lets a box suppress others from a little above it.
    finder = ximgproc.createEdgeBoxes(alpha=0.65, beta=0.55, maxBoxes=most, minBoxArea=200)
    found, _ = finder.getBoundingBoxes(strength, direction)
    boxes = np.array(found, dtype=np.float64).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]
    return inside(boxes * np.array([width / small.width, height / small.height] * 2), width, height)[:most]


def inside(boxes: NDArray[np.float64], width: int, height: int) -> NDArray[np.float64]:
    """Return the boxes cut to the picture; those without area are left out."""
    cut = np.clip(boxes, 0, [width, height, width, height])
    return cut[(cut[:, 2] > cut[:, 0]) & (cut[:, 3] > cut[:, 1])]
