"""Proposes boxes for the phrases of a project, by a model or by any function."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from threading import Event, Lock
from typing import Any, Protocol

from clients.annotator import questions, sureness
from clients.annotator.coordinates import Box, Form, PictureSizes
from clients.annotator.errors import CallStopped, ColleagueError, NoAnswer
from clients.annotator.model import ServedModel
from clients.annotator.pictures import PictureLoader
from clients.annotator.prompts import PROPOSAL, Prompts
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
    scores = sureness.of_boxes(reply.content, reply.tokens, questions.span_of_json(reply.content))
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
    is no answer is left out: it would seem to have no box. Raises ColleagueError, after what was predicted was sent.
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
        self.error: ColleagueError | None = None

    def rows(self, image: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the predictions of an image, in the form of the API; none if they cannot be made."""
        if self._stop.is_set():
            return []
        try:
            found = self._predictor.boxes(image)
        except NoAnswer as reason:
            self._tally.count("images", str(reason))
            return []
        except ColleagueError as error:
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
