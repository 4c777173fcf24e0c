"""A function that runs in this process and finds boxes: any detector, given as `module:function`."""

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from PIL import Image

from clients.annotator.coordinates import Form, PictureSizes, to_box
from clients.annotator.errors import ColleagueError, NoAnswer, WrongUse
from clients.annotator.pictures import PictureLoader
from clients.annotator.propose import Scored

Predict = Callable[[Image.Image, list[str]], tuple[Sequence[Sequence[Sequence[float]]], Sequence[Sequence[float]]]]
"""`predict(picture, phrases)` returns boxes and scores, a list for each phrase.

The picture is upright and RGB. A box is [x0, y0, x1, y1] in its pixels; a score lies between 0 and 1.
"""


def load_function(place: str) -> Predict:
    """Return the function that `module:function` names, also of a module in the current folder. Raises WrongUse."""
    module, _, name = place.partition(":")
    if not module or not name:
        raise WrongUse(f"--predict {place}: name a function as module:function.")
    sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise WrongUse(f"--predict {place}: the module cannot be imported: {error}.") from error
    except AttributeError as error:
        raise WrongUse(f"--predict {place}: the module has no function {name!r}.") from error
    finally:
        sys.path.pop(0)
    if not callable(found):
        raise WrongUse(f"--predict {place}: {name!r} is no function.")
    return found  # type: ignore[no-any-return]


class ByFunction:
    """A detector that runs in this process, called once for each image."""

    def __init__(self, place: str, pictures: PictureLoader) -> None:
        """Raises WrongUse if there is no such function."""
        self._place, self._predict, self._pictures = place, load_function(place), pictures

    def boxes(self, image: dict[str, Any]) -> list[Scored]:
        """Return the boxes of each phrase, by score. Raises NoAnswer, and ColleagueError if the function fails."""
        picture = self._pictures.whole(image)
        phrases = [phrase["text"] for phrase in image["phrases"]]
        frame = PictureSizes((image["width"], image["height"]), picture.size)
        try:
            boxes, scores = self._predict(picture, phrases)
            triples = zip(phrases, boxes, scores, strict=True)
            return [self._scored(some, of, frame) for _, some, of in triples]
        except (NoAnswer, ColleagueError):
            raise
        except Exception as error:
            raise ColleagueError(
                f"{self._place} failed for the image {image['name']}: {type(error).__name__}: {error}. It must return "
                f"boxes and scores, a list for each of the {len(phrases)} phrases."
            ) from error

    def _scored(self, boxes: Sequence[Sequence[float]], scores: Sequence[float], frame: PictureSizes) -> Scored:
        ranked = sorted(zip(boxes, scores, strict=True), key=lambda one: -one[1])
        return [(to_box([float(at) for at in box], Form.PIXELS, frame), float(score)) for box, score in ranked]
