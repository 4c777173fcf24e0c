"""The contents of a project's page: its images or a survey's questions, and how many of them are in which state."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.models import Caption, Chain, Image, MergedBox, Project
from annotation.rules.states import ChainState, ImageState
from annotation.word_search import Reads
from pipeline.policies.workers_needed import workers_needed
from pipeline.project.judgment_counts import JudgmentCounts, judgment_counts
from pipeline.project.open_questions import open_by_task
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.starve_questions import starved_questions
from pipeline.settings.settings import Settings
from projects.crew import ProjectCrew
from projects.gallery.shown_boxes import ShownBox, colour_class
from runtime.database import cached_read
from workers.models import Access


@dataclass(slots=True)
class TaskRow:
    task: Task
    open: int
    answered: int
    judgments: int
    workers: int
    needed: int
    starved: int


@dataclass(slots=True)
class Status:
    images: list[tuple[ImageState, int]]
    chains: list[tuple[ChainState, int]]
    tasks: list[TaskRow]
    judgments: JudgmentCounts
    strategy: str

    @property
    def merged(self) -> int:
        return dict(self.images)[ImageState.MERGED]

    @property
    def unfinished(self) -> int:
        return sum(count for _, count in self.images) - self.merged

    @property
    def in_review(self) -> int:
        return dict(self.chains).get(ChainState.REVIEW, 0)

    @property
    def starved(self) -> int:
        return sum(row.starved for row in self.tasks)


def status(project: Project, settings: Settings, crew: ProjectCrew) -> Status:
    images = _counts(project.images.all(), "state")
    chains = cached_read(f"chains:{project.pk}", lambda: _counts(Chain.objects.filter(image__project=project), "state"))
    waiting = open_by_task(project.id)
    answered = _counts(project.questions.filter(state=QuestionState.ANSWERED.value), "task")
    judgments = judgment_counts([project.pk])[project.pk]
    starved = cached_read(
        f"starved:{project.pk}", lambda: Counter(question.task for question in starved_questions(project.pk))
    )
    workers, needed = crew.workers, workers_needed(settings)
    rows = [
        TaskRow(task, waiting[task], answered[task], judgments.tasks[task], workers[task], needed[task], starved[task])
        for task in tasks_of(project)
    ]
    return Status(
        images=[(state, images[state]) for state in ImageState],
        chains=[(state, chains[state]) for state in ChainState if chains[state]],
        tasks=rows,
        judgments=judgments,
        strategy=settings.strategy.value,
    )


def in_short(projects: Sequence[Project]) -> list[tuple[Project, list[tuple[ImageState, int]], JudgmentCounts]]:
    """Return each project with its images by state and its judgments, in two statements."""
    images: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Image.objects.filter(project__in=projects).order_by().values_list("project", "state")
    for project, state, number in rows.annotate(Count("pk")):
        images[project][state] = number
    judgments = judgment_counts([project.pk for project in projects])
    return [
        (project, [(state, images[project.pk][state]) for state in ImageState], judgments[project.pk])
        for project in projects
    ]


def _counts(rows: QuerySet[Any], column: str) -> Counter[Any]:
    counted = rows.order_by().values(column).annotate(number=Count("pk"))
    return Counter({row[column]: row["number"] for row in counted})


def find_images(project: Project, *, state: str, words: str, by: str, is_down: bool) -> list[int]:
    """Return the ids of the images, sorted by a field. `words`: text to find in names and captions.

    All of them at once: a search would read every caption a second time to count what it finds.
    """
    images = project.images.order_by(f"{'-' if is_down else ''}{by}", "position")
    if state:
        images = images.filter(state=state)
    if words:
        # Not over a join: the captions are read once, and no image twice.
        said = Caption.objects.filter(Reads("text", words), image__project=project).values("image")
        images = images.filter(Q(Reads("name", words)) | Q(pk__in=said))
    return list(images.values_list("pk", flat=True))


def read_images(ids: Sequence[int]) -> list[Image]:
    """Return these images, in this order, with the number of their final chains, and their final boxes."""
    found = Image.objects.in_bulk(ids)
    chains = _counts(Chain.objects.filter(image_id__in=ids, merged_into=None), "image_id")
    boxes: defaultdict[int, list[ShownBox]] = defaultdict(list)
    for merged in MergedBox.objects.filter(image_id__in=ids):
        x0, y0, x1, y1 = merged.box
        boxes[merged.image_id].append(ShownBox(x0, y0, x1 - x0, y1 - y0, [], colour_class(merged.number + 1)))
    for image in found.values():
        of_image = boxes[image.id]
        vars(image).update(chain_count=chains[image.id], box_count=len(of_image), shown_boxes=of_image)
    return [found[image] for image in ids if image in found]


@dataclass(frozen=True, slots=True)
class SurveyStatus:
    task: Task
    open: int
    """Questions that still need a vote, or whose vote is not counted yet."""
    decided: int
    judgments: int
    workers: int
    """Workers who may answer."""
    votes: int
    """Votes that a question needs."""


def survey_status(project: Project) -> SurveyStatus:
    task = Task(project.survey)
    rows = project.questions.order_by().values_list("state").annotate(Count("pk"))
    by_state: dict[str, int] = dict(rows)
    decided = by_state.pop(QuestionState.CLOSED.value, 0)
    return SurveyStatus(
        task=task,
        open=sum(by_state.values()),
        decided=decided,
        judgments=judgment_counts([project.pk])[project.pk].tasks[task],
        workers=Access.objects.filter(project=project, task=task.value).count(),
        votes=current_settings(project.pk)[1].survey_votes,
    )
