"""A worked example of a detector: an ONNX file with a fixed list of classes, run by OpenCV.

    export DETECTOR_ONNX=detector.onnx DETECTOR_CLASSES=classes.txt
    python -m colleague propose --predict colleague.onnx_detector:predict …

The file is an end-to-end export of a detector: from 1 x 3 x SIDE x SIDE (RGB, 0 to 1) to 1 x N x 6, each row x0, y0,
x1, y1 in pixels of that square, a score from 0 to 1, and the number of the class. A line of the text file is a class.
No weights ship with this example.
"""

import os
import threading
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from colleague.errors import WrongUse

SIDE = 640
LEAST_SCORE = 0.25
GREY = (114, 114, 114)
LOCK = threading.Lock()
"""A network of OpenCV runs one picture at a time."""


def predict(picture: Image.Image, phrases: list[str]) -> tuple[list[list[list[float]]], list[list[float]]]:
    """Return the boxes, in pixels, and the scores for each phrase: those of the class that its last word names.

    Raises WrongUse if the files are not there.
    """
    network, classes = _load()
    square, scale = _square(picture)
    with LOCK:
        network.setInput(np.asarray(square, np.float32).transpose(2, 0, 1)[None] / 255)
        rows = network.forward().reshape(-1, 6)
    rows = rows[rows[:, 4] >= LEAST_SCORE]
    found = [rows[rows[:, 5] == classes.get(head(phrase), -1)] for phrase in phrases]
    return [(some[:, :4] / scale).tolist() for some in found], [some[:, 4].tolist() for some in found]


def head(phrase: str) -> str:
    """Return the last word of a phrase, without the s of a plural."""
    last = phrase.split()[-1].lower()
    return last[:-1] if last.endswith("s") and not last.endswith("ss") else last


def _square(picture: Image.Image) -> tuple[Image.Image, float]:
    """Return the picture in the corner of a grey square, and the factor by which it was scaled."""
    scale = SIDE / max(picture.size)
    small = picture.resize([max(1, round(side * scale)) for side in picture.size])
    square = Image.new("RGB", (SIDE, SIDE), GREY)
    square.paste(small)
    return square, scale


@cache
def _load() -> tuple[Any, dict[str, int]]:
    try:
        import cv2
    except ImportError as error:
        raise WrongUse("OpenCV is not installed: pip install opencv-contrib-python-headless.") from error
    files = []
    for name in ("DETECTOR_ONNX", "DETECTOR_CLASSES"):
        files.append(Path(os.environ.get(name, "")))
        if not files[-1].is_file():
            raise WrongUse(f"{name} must name a file; it is {os.environ.get(name, '')!r}.")
    try:
        network = cv2.dnn.readNetFromONNX(str(files[0]))
    except cv2.error as error:
        raise WrongUse(f"{files[0]}: OpenCV cannot read it as ONNX: {str(error).strip()[:200]}.") from error
    lines = files[1].read_text(encoding="utf-8").splitlines()
    return network, {head(line): number for number, line in enumerate(lines) if line.strip()}
