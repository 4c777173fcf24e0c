"""Proposes boxes for the phrases of a project, by a model or by any function."""

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from threading import Event, Lock
from typing import Any, Protocol

from PIL import Image

from clients.annotator import asker, questions
from clients.annotator.coordinates import Box, Form, PictureSizes, to_box
from clients.annotator.errors import AnnotatorError, CallStopped, NoAnswer, WrongUse
from clients.annotator.model import ServedModel
from clients.annotator.pictures import PictureLoader
from clients.annotator.questions import PROPOSAL, Prompts
from clients.annotator.replies import ModelReply
from clients.annotator.service import Requester
from clients.annotator.tally import SkipTally

IMAGES_PER_CALL = 20
MOST_ROWS = 1000
"""The phrases that the service takes predictions for in one call."""
MOST_BOXES = 10
"""The boxes of a phrase that the service proposes."""
FINISHED = "merged"
Scored = list[tuple[Box, float | None]]
"""Boxes with their scores from 0 to 1, the best first."""


class Predictor(Protocol):
    """Finds the boxes of an image's phrases."""

    def boxes(self, image: dict[str, Any]) -> list[Scored]:
        """Return the boxes of each phrase of the image, in order. Raises NoAnswer."""


class ByModel:
    """A vision-language model, asked once for each caption."""

    def __init__(self, model: ServedModel, prompts: Prompts, pictures: PictureLoader, form: Form) -> None:
        self._model, self._prompts, self._pictures, self._form = model, prompts, pictures, form

    def boxes(self, image: dict[str, Any]) -> list[Scored]:
        """Return the boxes of each phrase of the image, in order. Raises NoAnswer."""
        sent = self._pictures.sent(image)
        found: dict[int, Scored] = {}
        for caption in sorted({phrase["caption"] for phrase in image["phrases"]}):
            places = [place for place, phrase in enumerate(image["phrases"]) if phrase["caption"] == caption]
            said = [image["phrases"][place]["text"] for place in places]
            numbered = "\n".join(f"{number}: {text}" for number, text in enumerate(said, 1))
            captions = f"- {image['captions'][caption]}\n\n{numbered}"
            text = self._prompts.text(PROPOSAL, image["language"], self._form, sent.frame.sent, captions=captions)
            read = partial(_read, phrases=len(said), form=self._form, frame=sent.frame)
            rows = self._model.ask(PROPOSAL, text, sent, questions.proposal_schema(), read)
            found.update(zip(places, rows, strict=True))
        return [found[place] for place in range(len(image["phrases"]))]


def _read(reply: ModelReply, *, phrases: int, form: Form, frame: PictureSizes) -> list[Scored]:
    rows = questions.read_proposals(reply.content, phrases, form, frame)
    scores = asker.of_boxes(reply.content, reply.tokens, questions.span_of_json(reply.content))
    return [[(box, scores[at] if at < len(scores) else None) for at, box in row] for row in rows]


def propose(
    service: Requester,
    predictor: Predictor,
    tally: SkipTally,
    *,
    program: str,
    at_once: int,
    stop: Event,
    most: int | None = None,
) -> dict[str, int]:
    """Predict boxes for the images that are not finished, send them, and return the service's counts.

    `stop`: set at the end of the run; the model and the service wait on it. `most`: images. An image of which a reply
    is no answer is left out: it would seem to have no box. Raises AnnotatorError, after what was predicted was sent.
    """
    images = (image for image in service.images() if image["state"] != FINISHED and image["phrases"])
    counts: dict[str, int] = {}
    with ThreadPoolExecutor(at_once) as pool:
        run = _Run(predictor, tally, stop)
        try:
            for part in _parts(islice(images, most)):
                rows = [row for found in pool.map(run.rows, part) for row in found]
                if rows:
                    with suppress(CallStopped):  # the error that ended the run is told
                        kept = service.send_predictions(program, rows)
                        counts = {name: counts.get(name, 0) + number for name, number in kept.items()}
                if run.error:
                    raise run.error
        finally:
            stop.set()
    return counts


class _Run:
    """Predicts images until the first error, or until `stop` is set."""

    def __init__(self, predictor: Predictor, tally: SkipTally, stop: Event) -> None:
        self._predictor, self._tally, self._stop, self._lock = predictor, tally, stop, Lock()
        self.error: AnnotatorError | None = None

    def rows(self, image: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the predictions of an image, in the form of the API; none if they cannot be made."""
        if self._stop.is_set():
            return []
        try:
            found = self._predictor.boxes(image)
        except NoAnswer as reason:
            self._tally.count("images", str(reason))
            return []
        except AnnotatorError as error:
            with self._lock:
                self.error = self.error or error
            self._stop.set()
            return []
        self._tally.count("images")
        pairs = zip(image["phrases"], found, strict=True)
        return [_row(image["name"], phrase, boxes[:MOST_BOXES]) for phrase, boxes in pairs]


def _row(image: str, phrase: dict[str, Any], boxes: Scored) -> dict[str, Any]:
    row = {"image": image, "caption": phrase["caption"], "words": phrase["words"], "boxes": [list(b) for b, _ in boxes]}
    scores = [score for _, score in boxes if score is not None]
    return row | ({"scores": scores} if boxes and len(scores) == len(boxes) else {})


def _parts(images: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield images for one call each; all phrases of an image are sent together."""
    part: list[dict[str, Any]] = []
    for image in images:
        phrases = sum(len(sent["phrases"]) for sent in (*part, image))
        if part and (len(part) == IMAGES_PER_CALL or phrases > MOST_ROWS):
            yield part
            part = []
        part.append(image)
    if part:
        yield part


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
        """Return the boxes of each phrase, by score. Raises NoAnswer, and AnnotatorError if the function fails."""
        picture = self._pictures.whole(image)
        phrases = [phrase["text"] for phrase in image["phrases"]]
        frame = PictureSizes((image["width"], image["height"]), picture.size)
        try:
            boxes, scores = self._predict(picture, phrases)
            triples = zip(phrases, boxes, scores, strict=True)
            return [self._scored(some, of, frame) for _, some, of in triples]
        except (NoAnswer, AnnotatorError):
            raise
        except Exception as error:
            raise AnnotatorError(
                f"{self._place} failed for the image {image['name']}: {type(error).__name__}: {error}. It must return "
                f"boxes and scores, a list for each of the {len(phrases)} phrases."
            ) from error

    def _scored(self, boxes: Sequence[Sequence[float]], scores: Sequence[float], frame: PictureSizes) -> Scored:
        ranked = sorted(zip(boxes, scores, strict=True), key=lambda one: -one[1])
        return [(to_box([float(at) for at in box], Form.PIXELS, frame), float(score)) for box, score in ranked]
