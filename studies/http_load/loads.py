"""Kinds of load, and projects with as many open questions as they need, by copies of images that have one task open."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Model, QuerySet

from annotation.models import Box, Caption, Chain, Image, Mention, Project
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.dataset import DatasetImage, DatasetMention
from exchange.import_image import import_image
from exchange.split_captions import joined_caption
from pipeline.asking.lease_assignment import lease_questions
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.gold_questions.known_questions import key_of
from pipeline.models import KnownQuestion, Progress, Question
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, QuestionState, Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from simulation.simulate import virtual_workers
from studies.http_load.http_workers import ANSWERS

WIDTH, HEIGHT = 500, 375
WORDS = {kind: ("the", kind.value.replace(" ", "-")) for kind in NOUN_TYPES}
T = MentionType
DRAW, JUDGE, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
DRAWN = (T.PEOPLE, T.CLOTHING, T.BODY_PARTS)
ASKED = (T.ANIMALS, T.VEHICLES, T.INSTRUMENTS, T.SCENE, T.OTHER)
CAPTIONS: dict[Task, list[list[MentionType]]] = {
    # Each mention of the second caption is compared with the three mentions of its type in the first.
    Task.COREFERENCE_LINK: [[kind for kind in NOUN_TYPES[:7] for _ in range(3)], list(NOUN_TYPES[:7])],
    Task.CHAIN_VERIFICATION: [list(NOUN_TYPES), list(NOUN_TYPES)],
    Task.BOX_REQUIREMENT: [[kind for kind in ASKED for _ in range(4)]],
    **{task: [[kind for kind in DRAWN for _ in range(7)]] for task in (DRAW, JUDGE, COVER)},
}
"""The types of the mentions of each caption."""
BEFORE: dict[Task, list[tuple[Task, object]]] = {
    Task.COREFERENCE_LINK: [],
    Task.CHAIN_VERIFICATION: [(Task.COREFERENCE_LINK, "same")],
    Task.BOX_REQUIREMENT: [],
    Task.BOX_DRAWING: [],
    Task.BOX_QUALITY: [(Task.BOX_DRAWING, {"box": [40, 40, 160, 260]})],
    Task.BOX_COVERAGE: [(Task.BOX_DRAWING, {"box": [40, 40, 160, 260]}), (Task.BOX_QUALITY, "good")],
}
"""The answers that are given to earlier tasks until only questions of the task are open."""


def make_template(project: Project, task: Task) -> Image:
    """Import an image into the empty project, and answer until only questions of the task are open."""
    version, _ = current_settings(project.id)
    picture = f"originals/no/{project.name}.jpg"  # only a name: without a picture, no person is asked
    image = import_image(project, 0, _described(task), picture=picture, gold=False, settings_version=version)
    tick(project_id=project.id)
    first, second = virtual_workers(project, "template", 2)
    for before, answer in BEFORE[task]:
        worker = second if before is Task.BOX_QUALITY else first
        while lease := lease_questions(project_id=project.id, worker_id=worker.id, task=before):
            given = [GivenAnswer(answer)] * len(lease.questions)
            submit_assignment(assignment_id=lease.assignment.id, worker_id=worker.id, answers=given)
        tick(project_id=project.id)
    _only(image, task)
    return image


def _described(task: Task) -> DatasetImage:
    captions, mentions = [], []
    for number, kinds in enumerate(CAPTIONS[task]):
        captions.append(joined_caption(tuple(word for kind in kinds for word in WORDS[kind])))
        mentions += [DatasetMention(number, 2 * n, 2 * n + 2, (kind.value,)) for n, kind in enumerate(kinds)]
    return DatasetImage("template", WIDTH, HEIGHT, tuple(captions), tuple(mentions))


def _only(image: Image, task: Task) -> None:
    open_ones = Question.objects.filter(image=image, state=QuestionState.OPEN.value)
    found = set(open_ones.values_list("task", flat=True))
    if found != {task.value}:
        raise AssertionError(f"the template of {task} has open questions of {sorted(found)}")


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
WINDOW = 250
"""Images that are worked on at the same time."""
OPEN = f"t.state = '{QuestionState.OPEN.value}'"


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

    def settings(self) -> Settings:
        changed: dict[str, Any] = {"trusted_rate": self.known, "minimum": LEAST} if self.known else {}
        if self.batch:
            changed["batch"] = {task.value: self.batch for task in PROTOCOL_TASKS}
        return Settings(**changed)


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


def _template_of(task: Task) -> Image:
    """Return the image that is copied; made on first use.

    It needs a project of its own: in a large one its questions would not be the first to be leased.
    """
    name = template_name(task)
    own = Project.objects.filter(name=name).first()
    return own.images.get(position=0) if own else make_template(open_project(name=name), task)


def template_name(task: Task) -> str:
    return f"template-{task.value}".replace("_", "-")


def _fill_task(project: Project, task: Task, wanted: int) -> None:
    template = _template_of(task)
    each = _open_questions(template.project, task).count()
    clone_image(template, project, -(-wanted // each), project.images.count())


def _open_questions(project: Project, task: Task) -> QuerySet[Question]:
    return Question.objects.filter(project=project, task=task.value, state=QuestionState.OPEN.value)


def _add_stock(project: Project, task: Task) -> None:
    """Add STOCK questions of images of another project."""
    name = f"stock-{task.value}".replace("_", "-")
    others = Project.objects.filter(name=name).first()
    if others is None:
        others = open_project(name=name)
        _fill_task(others, task, STOCK)
    truth = [] if task is Task.BOX_DRAWING else ANSWERS[task][0][0]  # any will do
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
        for question in _open_questions(others, task)[:STOCK]
    )


def place_pictures(media: Path) -> None:
    """Write a picture of common size for each template, as if a browser had asked for it before."""
    for task in PROTOCOL_TASKS:
        file = media / "renditions" / "screen" / f"{template_name(task)}.jpg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(PICTURE_BYTES))


@transaction.atomic
def clone_image(image: Image, into: Project, copies: int, first: int) -> None:
    """Copy the image and its open questions `copies` times; the first copy gets the position `first`.

    The record of earlier entries is not copied: no answer reads it. Neighbouring questions belong to different images,
    so that answers share as little as possible. The images stay within a window of WINDOW images, because questions
    are asked oldest first and work moves through a project like a window.
    """
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE copies (id bigint, n integer)")
        project = {"project_id": str(into.id)}
        columns, values = _columns(Image, {"name": "t.name || '-' || n", "position": "n", **project})
        cursor.execute(
            f"WITH made AS (INSERT INTO annotation_image ({columns}) SELECT {values} FROM annotation_image t,"
            " generate_series(%s, %s) n WHERE t.id = %s RETURNING id, position)"
            " INSERT INTO copies SELECT id, position FROM made",
            [first, first + copies - 1, image.id],
        )
        for model in (Caption, Chain, Box):
            _copy(cursor, model, image.id, {"image_id": "copies.id"})
        _copy(cursor, Progress, image.id, {"image_id": "copies.id", **project})
        caption = "(SELECT c.id FROM annotation_caption c, annotation_caption o WHERE c.image_id = copies.id"
        caption += " AND o.id = t.caption_id AND c.number = o.number)"
        _copy(cursor, Mention, image.id, {"image_id": "copies.id", "caption_id": caption})
        rest = f"AND {OPEN} ORDER BY copies.n / {WINDOW}, t.number, copies.n"
        _copy(cursor, Question, image.id, {"image_id": "copies.id", **project}, rest)
        cursor.execute("DROP TABLE copies")  # within a caller's transaction, there may be another copy


def _copy(cursor: Any, model: type[Model], image: int, changed: dict[str, str], rest: str = "") -> None:
    columns, values = _columns(model, changed)
    table = model._meta.db_table
    cursor.execute(
        f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} t, copies WHERE t.image_id = %s {rest}", [image]
    )


def _columns(model: type[Model], changed: dict[str, str]) -> tuple[str, str]:
    """Return the columns and the value of each in SQL, without the table's own key."""
    names = [field.column for field in model._meta.concrete_fields if field.column not in (None, "id")]
    return ", ".join(f'"{name}"' for name in names), ", ".join(changed.get(name, f't."{name}"') for name in names)
