"""Proposals against drawing: the same images and crowd, once drawn, and once with a model of each quality."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from django.db import transaction

from annotation.models import Box, Image, Project
from annotation.rules.states import BoxState
from exchange.dataset import DatasetImage
from exchange.import_image import import_image
from pipeline.record.propose_boxes import propose_boxes
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings, open_project
from pipeline.tick import tick
from simulation.box_crowd import BoxCrowd, right_answer
from simulation.crowd import Crowd
from simulation.link_crowd import WORKERS, PerfectLinks
from simulation.score import score
from simulation.simulate import SECONDS, Run, link_images, load_gold, virtual_workers
from simulation.view import KnownView, View
from studies.proposals.model import predicted_boxes
from workers.models import Worker

BOX_TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
FEW_WORKERS = 40
COLUMNS = (
    *("good boxes of the model", "worker-seconds", "against drawing", "drawing questions", "quality questions"),
    *("proposed, accepted", "final boxes that are right", "gold boxes found"),
)


class Figures(NamedTuple):
    """The figures of one run, or sums over several."""

    judgments: Counter[str]
    """Of the four box tasks."""
    proposed: int
    accepted: int
    gold: int
    found: int
    matched: int
    """Final boxes, before merging, that overlap a gold box of their chain by an IOU of 0.5, one to one."""
    review: int

    @property
    def seconds(self) -> float:
        """Worker-seconds in the four box tasks, at the paper's seconds for a question."""
        return sum(SECONDS[Task(task)] * number for task, number in self.judgments.items())

    def plus(self, other: "Figures") -> "Figures":
        return Figures(self.judgments + other.judgments, *(a + b for a, b in zip(self[1:], other[1:], strict=True)))


class RightChains:
    """The crowd `paper` in the box tasks; links and verifications are right, so that only boxes differ."""

    def __init__(self, seed: int) -> None:
        self._boxes = BoxCrowd(seed)

    def answer(self, view: View | KnownView, worker: int) -> object:
        return right_answer(view) if view.task is Task.CHAIN_VERIFICATION else self._boxes.answer(view, worker)

    def error(self, task: Task, worker: int) -> float:
        return 0.0 if task is Task.CHAIN_VERIFICATION else self._boxes.error(task, worker)


def compare(
    images: Sequence[DatasetImage],
    shares: Sequence[float],
    seeds: Sequence[int],
    step: Callable[[int], object] = lambda judgments: None,
) -> dict[float | None, Figures]:
    """Return the sums over all seeds: under None of drawing alone, and by the share of good boxes of each model.

    Needs an empty database. What a run writes is undone after it.
    """
    project = _project(images)
    found: dict[float | None, Figures] = {}
    for share in (None, *shares):
        for seed in seeds:
            with rolled_back():
                one = _run(project, share, seed, step)
            found[share] = found[share].plus(one) if share in found else one
    return found


def _project(images: Sequence[DatasetImage]) -> Project:
    project = open_project(name="proposals-study", settings=ProtocolSettings(proposals=True))
    version, _ = current_settings(project.pk)
    with transaction.atomic():
        for position, image in enumerate(images):
            import_image(project, position, image, picture="", gold=True, settings_version=version)
    tick(project_id=project.pk)
    return project


def _run(project: Project, share: float | None, seed: int, step: Callable[[int], object]) -> Figures:
    gold = load_gold(project)
    if share is not None:
        program = Worker.objects.create(name="model", kind=Worker.Kind.PROGRAM)
        for image in Image.objects.filter(project=project).order_by("position"):
            mentions = list(image.mentions.values_list("number", flat=True))
            rows = predicted_boxes(gold[image.pk], sorted(mentions), share, seed)
            propose_boxes(image_id=image.pk, worker_id=program.pk, boxes=rows)
    links = [
        (image.key, mentions, {number: chain.name for number, chain in image.chain_of.items()})
        for image, mentions in link_images(project, gold)
    ]
    workers = min(FEW_WORKERS, WORKERS)
    people = virtual_workers(project, "paper", workers)
    run = Run(project, gold, Crowd(workers, PerfectLinks(links), RightChains(seed)), people, seed)
    run.until_nothing_is_open(None, step)
    figures = score(project, gold)
    mine = Box.objects.filter(image__project=project, proposed=True)
    tasks = {task.value for task in BOX_TASKS}
    return Figures(
        Counter({task: number for task, number in run.outcome.judgments.items() if task in tasks}),
        mine.count(),
        mine.filter(state=BoxState.ACCEPTED.value).count(),
        figures.boxes.gold,
        figures.boxes.found,
        figures.boxes.matched,
        figures.review.total(),
    )


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo afterwards what is done."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def table(found: dict[float | None, Figures]) -> str:
    """Return the figures as a table in Markdown."""
    drawn = found[None]
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    for share, one in found.items():
        name = "no model, drawn" if share is None else f"{share:.0%}"
        accepted = f"{one.proposed:,}, {one.accepted / one.proposed:.1%}" if one.proposed else "–"
        cells = (
            name,
            f"{one.seconds:,.0f}",
            f"{one.seconds / drawn.seconds - 1:+.1%}" if share is not None else "–",
            f"{one.judgments[Task.BOX_DRAWING.value]:,}",
            f"{one.judgments[Task.BOX_QUALITY.value]:,}",
            accepted,
            f"{one.matched / max(1, one.found):.1%}",
            f"{one.matched / max(1, one.gold):.1%}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
