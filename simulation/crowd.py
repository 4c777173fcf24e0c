"""The crowds by name."""

from collections.abc import Iterable
from typing import Protocol

from annotation.rules.transitivity import LinkMention
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import Task
from simulation.box_crowd import BoxCrowd, PerfectBoxes
from simulation.link_crowd import WORKERS, LinkCrowd, PerfectLinks
from simulation.view import GoldImage, KnownView, View

LINK_QUALITY = 0.906
"""Trusted worker quality of coreference links [paper table 3]. Table 2 has fewer errors."""
Images = Iterable[tuple[GoldImage, list[LinkMention]]]


class Links(Protocol):
    """Workers who answer link questions."""

    def answer(self, image: str, a: int, b: int, worker: int) -> bool: ...

    def mean_error(self, worker: int) -> float: ...


class Boxes(Protocol):
    """Workers who answer the questions of the other tasks."""

    def answer(self, view: View | KnownView, worker: int) -> object: ...

    def error(self, task: Task, worker: int) -> float: ...


class Crowd:
    """Virtual workers, numbered from 0 to `workers` - 1, who can answer every question about the images."""

    def __init__(self, workers: int, links: Links, boxes: Boxes) -> None:
        self.workers, self._links, self._boxes = workers, links, boxes

    def answer(self, view: View | KnownView, worker: int) -> object:
        if view.task is not Task.COREFERENCE_LINK:
            return self._boxes.answer(view, worker)
        same = self._links.answer(view.image.key, view.subject[0], view.subject[1], worker)
        return (CoreferenceAnswer.SAME if same else CoreferenceAnswer.DIFFERENT).value

    def accuracy(self, task: Task, worker: int) -> float:
        """Return the share of right answers, 0 to 1, that the worker gives in the long run."""
        wrong = self._links.mean_error(worker) if task is Task.COREFERENCE_LINK else self._boxes.error(task, worker)
        return 1 - wrong


def perfect(images: Images, seed: int) -> Crowd:
    return Crowd(25, PerfectLinks(_for_links(images)), PerfectBoxes())


def paper(images: Images, seed: int) -> Crowd:
    return Crowd(WORKERS, LinkCrowd(_for_links(images), seed), BoxCrowd(seed))


def table_3(images: Images, seed: int) -> Crowd:
    """Return the crowd `paper` with twice the errors in links: the quality that table 3 has for them."""
    error = 1 - LINK_QUALITY
    links = LinkCrowd(_for_links(images), seed, false_negative=error, false_positive=error)
    return Crowd(WORKERS, links, BoxCrowd(seed))


def _for_links(images: Images) -> list[tuple[str, list[LinkMention], dict[int, str]]]:
    return [
        (image.key, mentions, {number: chain.name for number, chain in image.chain_of.items()})
        for image, mentions in images
    ]


CROWDS = {"perfect": perfect, "paper": paper, "table_3": table_3}
