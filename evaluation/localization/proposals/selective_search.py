"""Selective search [paper 4.1, Table 5a; Uijlings et al. 2013]: regions that merge, from small to large."""

from ctypes import CDLL

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evaluation.localization.proposals.edge_boxes import inside
from evaluation.optional import need

LONG_SIDE = 400


def selective_search(picture: Image.Image, most: int = 200) -> NDArray[np.float64]:
    """Return at most `most` distinct boxes (n, 4) in pixels, in the method's order. Raises MissingExtra without OpenCV.

    The picture is made small first: its long side is 400 pixels at most.
    """
    need("cv2", "selective search")
    segmentation = need("cv2.ximgproc.segmentation", "selective search")
    # The order of the boxes has a random part, drawn from the numbers of the C library.
    CDLL(None).srand(0)
    width, height = picture.size
    ratio = min(1.0, LONG_SIDE / max(width, height))
    small = picture.convert("RGB").resize((max(1, round(width * ratio)), max(1, round(height * ratio))))
    search = segmentation.createSelectiveSearchSegmentation()
    search.setBaseImage(np.asarray(small)[:, :, ::-1].copy())
    search.switchToSelectiveSearchFast()
    found = np.array(search.process(), dtype=np.float64).reshape(-1, 4)
    found[:, 2:] += found[:, :2]
    scale = np.array([width / small.width, height / small.height] * 2)
    distinct = list(dict.fromkeys(map(tuple, found.tolist())))[:most]
    return inside(np.array(distinct, dtype=np.float64).reshape(-1, 4) * scale, width, height)
