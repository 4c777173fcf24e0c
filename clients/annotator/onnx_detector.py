"""A worked example of a detector: an ONNX file with a fixed list of classes, run by OpenCV.

    export DETECTOR_ONNX=detector.onnx DETECTOR_CLASSES=classes.txt
    python -m clients.annotator propose --predict clients.annotator.onnx_detector:predict …

The file is an end-to-end export of a detector: from 1 x 3 x SIDE x SIDE (RGB, 0 to 1) to 1 x N x 6, each row x0, y0,
x1, y1 in pixels of that square, a score from 0 to 1, and the number of the class. A line of the text file is a class.
No weights ship with this example.
"""

import os
import re
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from clients.annotator.errors import WrongUse

SIDE = 640
LEAST_SCORE = 0.25
GREY = (114, 114, 114)


def _words(text: str) -> list[str]:
    return re.findall(r"[\w'’-]+", text.lower())


BEFORE_NOUNS = frozenset(
    _words(
        "a an the this that these those his her its their my your our one two three four five six seven eight nine ten "
        "some several many few both all each every another other"
    )
)
AFTER_NOUNS = frozenset(
    _words(
        "in on at of with without by near behind beside between under above below over from to into onto through "
        "against around across along down up next who whose which that is are wearing holding and or for while inside "
        "outside"
    )
)
"""Words after which a phrase is no longer about its first noun."""
GROUPS = frozenset(_words("group pair bunch couple crowd lot lots row set stack pile herd flock team number line"))
"""Words before “of” that count what comes after."""
PLURALS = (("ies", "y"), ("ves", "f"), ("ves", "fe"), ("es", ""), ("s", ""))
IRREGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse", "feet": "foot"}
IRREGULAR |= {"geese": "goose", "teeth": "tooth"}
LOCK = threading.Lock()
"""A network of OpenCV runs one picture at a time."""


def predict(picture: Image.Image, phrases: list[str]) -> tuple[list[list[list[float]]], list[list[float]]]:
    """Return the boxes, in pixels, and the scores for each phrase: those of the class that it names.

    Raises WrongUse if the files are not there.
    """
    network, classes = _load()
    square, scale = _square(picture)
    with LOCK:
        network.setInput(np.asarray(square, np.float32).transpose(2, 0, 1)[None] / 255)
        rows = network.forward().reshape(-1, 6)
    rows = rows[rows[:, 4] >= LEAST_SCORE]
    found = [rows[rows[:, 5] == class_of(phrase, classes)] for phrase in phrases]
    return [(some[:, :4] / scale).tolist() for some in found], [some[:, 4].tolist() for some in found]


def class_of(phrase: str, classes: Sequence[str]) -> int:
    """Return the number of the class that an English phrase names, -1 if it names none.

    The noun that the phrase is about must end with the name of the class, in singular or plural; the longest name
    counts: “a red traffic light” is a traffic light, “a hot dog” no dog, and “a man in a red shirt” a man. A noun
    alone is also the only class that ends with it: “the racket” is a tennis racket.
    """
    words, names = _words(phrase), [_words(name) for name in classes]
    if (of := next((at for at, word in enumerate(words) if word == "of"), 0)) and words[of - 1] in GROUPS:
        words = words[of + 1 :]
    ends = _ends(words)
    longest_first = sorted((number for number, name in enumerate(names) if name), key=lambda one: -len(names[one]))
    for end in ends:
        for number in longest_first:
            start = end - len(names[number])
            if 0 <= start < ends[1] and _is_same(words[start:end], names[number]):
                return number
    noun = [word for word in words[: ends[-1]] if word not in BEFORE_NOUNS]
    longer = [number for number in longest_first if len(noun) == 1 and _is_same(noun, names[number][-1:])]
    return longer[0] if len(longer) == 1 else -1


def _ends(words: Sequence[str]) -> tuple[int, int, int]:
    """Return where the noun that a phrase is about may end: with the phrase, before “in a shirt”, before “running”."""
    after = next((at for at, word in enumerate(words) if at and word in AFTER_NOUNS), len(words))
    does = (at for at, word in enumerate(words[:after]) if word.endswith("ing") and set(words[:at]) - BEFORE_NOUNS)
    return len(words), after, next(does, after)


def _is_same(some: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether these are the same words, in singular or plural."""
    return len(some) == len(others) and all(_forms(word) & _forms(two) for word, two in zip(some, others, strict=True))


def _forms(word: str) -> set[str]:
    """Return a word and all that may be its singular."""
    stems = {word.removesuffix(end) + new for end, new in PLURALS if word.endswith(end) and not word.endswith("ss")}
    return {word, *stems, IRREGULAR.get(word, word)}


def _square(picture: Image.Image) -> tuple[Image.Image, float]:
    """Return the picture in the corner of a grey square, and the factor by which it was scaled."""
    scale = SIDE / max(picture.size)
    small = picture.resize([max(1, round(side * scale)) for side in picture.size])
    square = Image.new("RGB", (SIDE, SIDE), GREY)
    square.paste(small)
    return square, scale


@cache
def _load() -> tuple[Any, list[str]]:
    try:
        import cv2
    except ImportError as error:
        raise WrongUse(
            "OpenCV is not installed: pip install 'chainbox[models]', or scripts/setup.sh models in a checkout."
        ) from error
    files = []
    for name in ("DETECTOR_ONNX", "DETECTOR_CLASSES"):
        files.append(Path(os.environ.get(name, "")))
        if not files[-1].is_file():
            raise WrongUse(f"{name} must name a file; it is {os.environ.get(name, '')!r}.")
    try:
        network = cv2.dnn.readNetFromONNX(str(files[0]))
    except cv2.error as error:
        raise WrongUse(f"{files[0]}: OpenCV cannot read it as ONNX: {str(error).strip()[:200]}.") from error
    return network, files[1].read_text(encoding="utf-8").splitlines()
