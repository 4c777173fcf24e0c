"""The kinds of load that are measured: tasks, verification questions, drafts, pictures, size of assignments."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.models import Image, Project
from pipeline.models import KnownQuestion, Question
from pipeline.project.settings_versions import open_project
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, QuestionState, Task
from pipeline.stock.known_questions import key_of
from studies.http_load.clone_image import clone_image
from studies.http_load.http_workers import ANSWERS
from studies.http_load.template_images import make_template

STOCK = 250
"""Verification questions of each task: more than a worker is asked in one run."""
PICTURE_BYTES = 60_000
MIX = {
    Task.COREFERENCE_LINK: 25,
    Task.CHAIN_VERIFICATION: 6,
    Task.BOX_REQUIREMENT: 10,
    Task.BOX_DRAWING: 18,
    Task.BOX_QUALITY: 16,
    Task.BOX_COVERAGE: 25,
}
"""Judgments of each task among a hundred that the simulated crowd `paper` gives on drawn scenes."""


LEAST = {task.value: 0.001 for task in PROTOCOL_TASKS}
"""The share of right answers to keep trust: workers answer at random and must not lose it."""


class Load(NamedTuple):
    """The work of the simulated workers in one measurement."""

    tasks: Mapping[Task, float]
    """The weight by which each task is asked for."""
    known: float = 0.0
    """The share of verification questions; 0: the project has no stock."""
    drafts: bool = False
    """Whether drafts are saved as the labelling page does at a person's pace."""
    pictures: bool = False
    """Whether the picture of each question is fetched."""
    batch: int | None = None
    """Questions in an assignment; None: as in a new project."""

    def settings(self) -> ProtocolSettings:
        """Return the settings of a project for this load."""
        changed: dict[str, Any] = {"trusted_rate": self.known, "minimum": LEAST} if self.known else {}
        if self.batch:
            changed["batch"] = {task.value: self.batch for task in PROTOCOL_TASKS}
        return ProtocolSettings(**changed)


KINDS: dict[str, Load] = {
    **{task.value: Load({task: 1}) for task in PROTOCOL_TASKS},
    "mix": Load(MIX),
    "mix_known_2": Load(MIX, known=0.02),
    "mix_known_20": Load(MIX, known=0.2),
    "mix_drafts": Load(MIX, drafts=True),
    # Box drawing as the page does it: five questions in an assignment, or one.
    "page": Load({Task.BOX_DRAWING: 1}, drafts=True, pictures=True),
    "page_single": Load({Task.BOX_DRAWING: 1}, drafts=True, pictures=True, batch=1),
}


def fill(kind: str, wanted: int) -> str:
    """Make a project with about `wanted` open questions, and a stock if the load has one. Returns its name."""
    load, name = KINDS[kind], f"{kind.replace('_', '-')}-{wanted}"
    project = open_project(name=name, settings=load.settings())
    total = sum(load.tasks.values())
    for task, weight in load.tasks.items():
        _fill_task(project, task, round(wanted * weight / total))
        if load.known:
            _add_stock(project, task)
    return name


def template_of(task: Task) -> Image:
    """Return the image that is copied; made on first use.

    It needs a project of its own: in a large one its questions would not be the first to be leased.
    """
    name = template_name(task)
    own = Project.objects.filter(name=name).first()
    return own.images.get(position=0) if own else make_template(open_project(name=name), task)


def template_name(task: Task) -> str:
    return f"template-{task.value}".replace("_", "-")


def _fill_task(project: Project, task: Task, wanted: int) -> None:
    template = template_of(task)
    each = open_questions(template.project, task).count()
    clone_image(template, project, -(-wanted // each), project.images.count(), spread=True)


def open_questions(project: Project, task: Task) -> QuerySet[Question]:
    return Question.objects.filter(project=project, task=task.value, state=QuestionState.OPEN.value)


def _add_stock(project: Project, task: Task) -> None:
    """Add STOCK questions of images of another project."""
    name = f"stock-{task.value}".replace("_", "-")
    others = Project.objects.filter(name=name).first()
    if others is None:
        others = open_project(name=name)
        _fill_task(others, task, STOCK)
    add_known(project, task, open_questions(others, task)[:STOCK])


def add_known(project: Project, task: Task, questions: Iterable[Question]) -> None:
    """Add verification questions that show what these questions show. Any truth will do."""
    truth = [] if task is Task.BOX_DRAWING else ANSWERS[task][0][0]
    KnownQuestion.objects.bulk_create(
        KnownQuestion(
            project=project,
            task=task.value,
            image_id=question.image_id,
            shown=question.shown,
            truth=truth,
            key=key_of(question.image_id, question.shown),
            source=KnownQuestion.Source.EXPERT,
        )
        for question in questions
    )


def place_pictures(media: Path) -> None:
    """Write a picture of common size for each template, as if a browser had asked for it before."""
    for task in PROTOCOL_TASKS:
        file = media / "renditions" / "screen" / f"{template_name(task)}.jpg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(PICTURE_BYTES))
