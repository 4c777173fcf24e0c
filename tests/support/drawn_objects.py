"""A drawn picture with two objects, and the check that a finder of regions finds them."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

from evaluation.scoring.iou import iou

OBJECTS = np.array([[40, 30, 130, 120], [180, 60, 290, 190]], float)


def drawn() -> Image.Image:
    """Two ellipses of plain colours on a shaded ground."""
    shades = np.linspace(90, 140, 320).astype(np.uint8)
    picture = Image.fromarray(np.broadcast_to(shades[None, :, None], (220, 320, 3)).copy())
    for box, color in zip(OBJECTS, ((220, 40, 40), (30, 60, 210)), strict=True):
        ImageDraw.Draw(picture).ellipse(box.tolist(), fill=color)
    return picture


def check_finder(finder: Callable[[Image.Image, int], np.ndarray]) -> None:
    """Fail unless the finder finds both objects, inside the picture, in the same order every time, at any size."""
    picture = drawn()
    found = finder(picture, 100)
    assert 2 <= len(found) <= 100
    assert iou(OBJECTS, found).max(axis=1).min() > 0.7
    assert found.min() >= 0 and (found[:, 2] <= 320).all() and (found[:, 3] <= 220).all()
    assert np.array_equal(finder(picture, 100), found)
    # A picture above the working size has its boxes in its own pixels.
    large = finder(picture.resize((1280, 880)), 100)
    assert iou(OBJECTS * 4, large).max(axis=1).min() > 0.7
