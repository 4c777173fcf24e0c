"""A campaign with a simulated program that grounds phrases: a given share of its boxes is good, the others miss."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from django.db import transaction

from annotation.models import Image, Project
from annotation.rules.box import Box
from exchange.dataset import DatasetImage
from exchange.import_image import import_image
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.record.intervene import propose_boxes
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from simulation.box_crowd import BoxCrowd, right_answer
from simulation.crowd import Crowd
from simulation.link_crowd import WORKERS, PerfectLinks, stable_uniform
from simulation.simulate import SECONDS, Run, link_images, load_gold, virtual_workers
from simulation.view import GoldChain, GoldImage, KnownView, View
from workers.models import Worker

BOX_TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
FEW_WORKERS = 40

EDGE = 0.05
"""The most that an edge of a good box is off, in shares of the side: its IOU with gold is at least 0.65."""


class RightChains:
    """The crowd `paper` in the box tasks; links and verifications are right, so that only boxes differ."""

    def __init__(self, seed: int) -> None:
        self._boxes = BoxCrowd(seed)

    def answer(self, view: View | KnownView, worker: int) -> object:
        return right_answer(view) if view.task is Task.CHAIN_VERIFICATION else self._boxes.answer(view, worker)

    def error(self, task: Task, worker: int) -> float:
        return 0.0 if task is Task.CHAIN_VERIFICATION else self._boxes.error(task, worker)


def project_with_gold(images: Sequence[DatasetImage]) -> Project:
    project = open_project(name="proposals", settings=ProtocolSettings(proposals=True))
    version, _ = current_settings(project.pk)
    for position, image in enumerate(images):
        import_image(project, position, image, picture="", gold=True, settings_version=version)
    tick(project_id=project.pk)
    return project


def seconds_of_workers(project: Project, share: float | None, seed: int, step: Callable[[int], object]) -> float:
    """Annotate the project, and return the time of workers in the box tasks, at the paper's seconds for a question.

    `share`: of good boxes of the program, which knows every second mention; None: no program.
    """
    gold = load_gold(project)
    if share is not None:
        program = Worker.objects.create(name="model", kind=Worker.Kind.PROGRAM)
        for image in Image.objects.filter(project=project).order_by("position"):
            mentions = sorted(image.mentions.values_list("number", flat=True))[::2]
            rows = predicted_boxes(gold[image.pk], mentions, share, seed)
            propose_boxes(image_id=image.pk, worker_id=program.pk, boxes=rows)
    links = [
        (image.key, mentions, {number: chain.name for number, chain in image.chain_of.items()})
        for image, mentions in link_images(project, gold)
    ]
    workers = min(FEW_WORKERS, WORKERS)
    people = virtual_workers(project, "paper", workers)
    run = Run(project, gold, Crowd(workers, PerfectLinks(links), RightChains(seed)), people, seed)
    run.until_nothing_is_open(None, step)
    return sum(SECONDS[task] * run.outcome.judgments[task.value] for task in BOX_TASKS)


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo afterwards what is done."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def predicted_boxes(image: GoldImage, mentions: list[int], share: float, seed: int) -> list[list[int]]:
    """Return rows of [mention, x0, y0, x1, y1]: a box for each gold box of every mention's chain.

    A box is good with the probability `share`; of the others, half show half of the thing, and half lie beside it. The
    model never abstains: a mention whose chain has no box gets one in the middle of the image.
    """
    rows: list[tuple[int, list[int]]] = []
    for mention in mentions:
        chain = image.chain_of[mention]
        for rank, box in enumerate(_boxes(image, chain, mention, share, seed)):
            rows.append((rank, [mention, *box]))
    return [row for _, row in sorted(rows, key=lambda one: one[0])]


def _boxes(image: GoldImage, chain: GoldChain, mention: int, share: float, seed: int) -> Iterator[Box]:
    if not chain.boxes:
        yield _inside(image, image.width / 4, image.height / 4, 3 * image.width / 4, 3 * image.height / 4)
    for place, gold in enumerate(chain.boxes):
        key = (seed, "model", image.key, mention, place)
        draws = [stable_uniform(*key, what) for what in ("good", "kind", "x0", "y0", "x1", "y1")]
        yield _good(image, gold, draws[2:]) if draws[0] < share else _bad(image, gold, half=draws[1] < 0.5)


def _good(image: GoldImage, gold: Box, draws: list[float]) -> Box:
    sides = (gold.x1 - gold.x0, gold.y1 - gold.y0) * 2
    moved = [at + EDGE * side * (2 * draw - 1) for at, side, draw in zip(gold, sides, draws, strict=True)]
    return _inside(image, *moved)


def _bad(image: GoldImage, gold: Box, *, half: bool) -> Box:
    width, height = gold.x1 - gold.x0, gold.y1 - gold.y0
    if half:
        return _inside(image, gold.x0, gold.y0, gold.x0 + 0.45 * width, gold.y1)
    # To the side where there is room, so that the border of the image does not push the box back.
    right, down = gold.x0 + gold.x1 < image.width, gold.y0 + gold.y1 < image.height
    dx, dy = (width if right else -width) / 2, (height if down else -height) / 2
    return _inside(image, gold.x0 + dx, gold.y0 + dy, gold.x1 + dx, gold.y1 + dy)


def _inside(image: GoldImage, x0: float, y0: float, x1: float, y1: float) -> Box:
    left, top = (min(max(round(at), 0), most - 1) for at, most in ((x0, image.width), (y0, image.height)))
    right, low = min(max(round(x1), left + 1), image.width), min(max(round(y1), top + 1), image.height)
    return Box(left, top, right, low)
