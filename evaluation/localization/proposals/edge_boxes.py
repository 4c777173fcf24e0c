"""Edge boxes [paper 4.1.2; Zitnick and Dollar 2014]: boxes that hold many whole contours.

Strength and direction of smoothed Lab gradients, thinned to their ridges, stand for the structured edges of the cited
method, whose model file is not at hand.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evaluation.optional import need

Map = NDArray[np.float32]
FAINTEST = 1.0
"""The slope in Lab that counts as a full edge where the picture has no steeper one."""
LONG_SIDE = 400


def edge_map(pixels: NDArray[np.uint8], sigma: float = 1.5) -> tuple[Map, Map]:
    """Return strength (0 to 1) and direction across the edge (0 to pi) of each pixel, (h, w), of an RGB picture.

    Raises MissingExtra without OpenCV.
    """
    cv2 = need("cv2", "finding edges")
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2Lab)
    smooth = cv2.GaussianBlur(lab, (0, 0), sigma)
    across = cv2.Sobel(smooth, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    strength = np.sqrt((across**2 + down**2).sum(axis=2))
    strength /= max(float(np.percentile(strength, 99.5)), FAINTEST)
    # The channel with the steepest slope tells the direction.
    steepest = (across**2 + down**2).argmax(axis=2)[..., None]
    x = np.take_along_axis(across, steepest, axis=2)[..., 0]
    y = np.take_along_axis(down, steepest, axis=2)[..., 0]
    thin = ridges(np.clip(strength, 0, 1), x, y, cv2)
    return thin, np.mod(np.arctan2(y, x), np.pi).astype(np.float32)


def ridges(strength: Map, x: Map, y: Map, cv2: Any) -> Map:
    """Return the strength where it is not below its neighbours across the edge, else 0."""
    length = np.maximum(np.hypot(x, y), 1e-6)
    rows, columns = np.mgrid[: strength.shape[0], : strength.shape[1]].astype(np.float32)
    kept = np.ones(strength.shape, dtype=bool)
    for sign in (-1, 1):
        beside = cv2.remap(
            strength,
            columns + sign * (x / length).astype(np.float32),
            rows + sign * (y / length).astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        kept &= strength >= beside
    return np.where(kept, strength, 0).astype(np.float32)


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
