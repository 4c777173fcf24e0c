"""ModelPrediction score [beyond paper 3.3]: how often what a program predicts is right, where the answer is known.

A prediction answers a verification question as if the program had been asked: box drawing by its best box that is not
shown yet, a coreference link by the chains that it puts the two phrases in.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from annotation.rules.box import Box, iou
from pipeline.rules.known.known_answer import RIGHT_IOU, is_right
from pipeline.rules.tasks import coreference_link
from pipeline.rules.tasks.answers import drawing
from pipeline.rules.tasks.task import Task
from workers.rules.score import Rule, Score, below

SCORED = (Task.COREFERENCE_LINK, Task.BOX_DRAWING)
"""The tasks that a prediction can answer."""
LEAST = 30
"""Known answers of a task before a program's score says anything."""


class Standing(StrEnum):
    """The standing of a program on a task."""

    UNKNOWN = "too few known answers"
    BELOW = "below the minimum"
    ABOVE = "at the minimum or above"


class Predicted(NamedTuple):
    """All that a program predicts for one image."""

    boxes: Mapping[int, Sequence[Sequence[int]]]
    """By mention, the best box [x0, y0, x1, y1] first."""
    chains: Sequence[Sequence[int]]


class KnownOne(NamedTuple):
    """A question of the image, with its right answer."""

    task: Task
    shown: Mapping[str, Any]
    truth: Any


def predicted(boxes: Iterable[Sequence[int]], chains: Sequence[Sequence[int]]) -> Predicted:
    """Take rows of [mention, x0, y0, x1, y1], a score or none behind, in the order of trying them."""
    by_mention: dict[int, list[Sequence[int]]] = {}
    for mention, *edges in (row[:5] for row in boxes):
        by_mention.setdefault(mention, []).append(edges)
    return Predicted(by_mention, chains)


def answer_of(said: Predicted, known: KnownOne) -> Any:
    """Return the answer that the prediction gives; None: it says nothing about the phrases of the question."""
    mentions = [place[0] for place in known.shown["mentions"]]
    if known.task is Task.BOX_DRAWING:
        there = [Box(*box) for box in known.shown["boxes"]]
        own = said.boxes.get(mentions[0])
        if own is None:
            return None
        new = (box for box in own if all(iou(Box(*box), other) < RIGHT_IOU for other in there))
        return drawing(next(new, None))
    if known.task is not Task.COREFERENCE_LINK:
        return None
    places = [[place for place, chain in enumerate(said.chains) if mention in chain] for mention in mentions]
    if not all(places):
        return None
    same = bool(set(places[0]).intersection(places[1]))
    return (coreference_link.Answer.SAME if same else coreference_link.Answer.DIFFERENT).value


def prediction_scores(rows: Iterable[tuple[Predicted, KnownOne]]) -> dict[Task, Score]:
    """Return the score of each scored task. `rows`: each known question with what is predicted for its image."""
    found = dict.fromkeys(SCORED, Score())
    for said, known in rows:
        answer = answer_of(said, known) if known.task in found else None
        if answer is not None:
            found[known.task] += Score(int(is_right(known.task, known.truth, answer)), 1)
    return found


def standing(score: Score, minimum: float, rule: Rule) -> Standing:
    """Return the standing that follows from a score."""
    if score.total < LEAST:
        return Standing.UNKNOWN
    return Standing.BELOW if below(score, minimum, rule) else Standing.ABOVE
