"""A project of six known images, programs that predict their boxes, and measurements of them."""

from collections.abc import Sequence
from contextlib import suppress

import pytest

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from projects.lifecycle import copies
from projects.models import Run
from projects.operation import COMMAND_LINE, CannotBeDone, Stopped
from projects.predictions.measure import work
from projects.predictions.measure.operations import MeasurementInput, measure_program
from projects.runs import do_run_by_command, start
from tests.support.projects import phrases, project_of
from workers.models import Worker

IMAGES = 6
THINGS = {"man": Box(10, 10, 60, 90), "hat": Box(100, 10, 140, 40), "dog": Box(70, 50, 98, 95)}
SETTINGS = Settings(reward_cents={task.value: 10 for task in PROTOCOL_TASKS}, spend_cap_cents=30)
"""The cap is far below what a copy would cost."""
TEXTS = ("people: a man", "clothing: a hat", "animals: a dog", "other: the one in black")
"""The last is the man, too: no link may say so, and the boxes of both chains are merged in the end."""


def known(name: str) -> DatasetImage:
    boxes = [DatasetBox(box, (thing,)) for thing, box in THINGS.items()]
    return phrases(*TEXTS, name=name, chains=[*THINGS, "man"], boxes=boxes)


def program(
    project: Project, name: str, *, wrong: int = 0, images: int = IMAGES, chains: Sequence[Sequence[int]] = ()
) -> Worker:
    """Return a program that predicts a box for each phrase; the first `wrong` ones show nothing of what is meant.

    `chains`: those that it predicts in each image.
    """
    made, _ = Worker.objects.get_or_create(name=name, defaults={"kind": Worker.Kind.PROGRAM})
    for place, image in enumerate(project.images.order_by("position")[:images]):
        boxes = [
            [number, *((150, 60, 190, 95) if place * len(THINGS) + number < wrong else tuple(box))]
            for number, box in enumerate(THINGS.values())
        ]
        project.model_predictions.create(program=made, image=image, boxes=boxes, chains=chains, due=False)
    return made


def begun(project: Project, who: Worker) -> Run:
    given = MeasurementInput(program=who.name, settings_version=current_settings(project.pk)[0])
    return start(measure_program, project, COMMAND_LINE, given)


def measured(project: Project, who: Worker) -> Run:
    row = begun(project, who)
    with suppress(CannotBeDone, Stopped):
        do_run_by_command(row, lambda progress: None)
    return Run.objects.get(pk=row.pk)


@pytest.fixture(autouse=True)
def _few_workers_without_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing hang on the seed, which is the number of the project."""
    monkeypatch.setattr(copies, "CROWD", "perfect")
    monkeypatch.setattr(copies, "WORKERS", 8)


@pytest.fixture
def project(db: None) -> Project:
    return project_of(*[known(str(number)) for number in range(IMAGES)], name="ours", gold=True, settings=SETTINGS)


@pytest.fixture
def nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the answers, which are what takes long."""
    monkeypatch.setattr(work, "let_answer", lambda copy, *, seed, look: look(0))
