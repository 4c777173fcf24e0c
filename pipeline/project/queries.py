"""Reads that several rooms need, among them the model annotators at work [beyond paper 3.3] and counts of judgments."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BooleanField, Case, Count, When

from annotation.models import Project
from annotation.rules.states import ImageState
from pipeline.errors import PipelineError
from pipeline.models import Assignment, Entry, Judgment, Progress
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.merging import sources_of_pairs as sources_of
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from runtime.database import cached_read
from workers.models import Access, Worker


def chosen_projects(project_id: int | None) -> list[int]:
    """Return this project's id, or all ids if it is None, without those whose images are in an archive.

    The indexes of what is due begin with the project.
    """
    if project_id is not None:
        return [project_id]
    return list(Project.objects.filter(away__isnull=True).order_by("id").values_list("id", flat=True))


def stream_progress(project: Project) -> Iterator[tuple[int, ImageProgress]]:
    """Yield the id and the progress of every image, in import order, with few of them in memory at a time."""
    rows = Progress.objects.filter(project=project).order_by("image__position")
    for image, state in rows.values_list("image_id", "state").iterator(chunk_size=200):
        yield image, from_json(state)


def link_sources(project: Project) -> dict[str, int]:
    """Count the links of the project's finished images by their source [figure 3].

    Images that were imported with their annotation are left out, because the sources of their links are unknown.
    """
    counts: Counter[str] = Counter()
    begun = Entry.objects.filter(project=project, kind=EntryKind.START.value).values("image_id")
    rows = Progress.objects.filter(image_id__in=begun, image__state=ImageState.MERGED.value)
    rows = rows.order_by("image__position")
    for state in rows.values_list("state", flat=True).iterator(chunk_size=200):
        counts.update(source.value for source in sources_of(from_json(state)).values())
    return dict(counts)


class NotAskedError(PipelineError):
    """The project does not ask this task."""


def tasks_of(project: Project) -> tuple[Task, ...]:
    """Return the tasks that the project asks, in the order of `Task`."""
    return (Task(project.survey),) if project.survey else PROTOCOL_TASKS


def tasks_of_id(project_id: int) -> tuple[Task, ...]:
    """Return the tasks that the project with this id asks."""
    return tasks_of(Project.objects.only("survey").get(id=project_id))


def chosen_tasks(project: Project, names: Iterable[str]) -> tuple[Task, ...]:
    """Return the named ones of the project's tasks, or all of them if none is named.

    Raises NotAskedError, which names the project's tasks, if it does not ask one of these.
    """
    asked, wanted = tasks_of(project), list(names)
    refuse_others(project, wanted)
    return tuple(task for task in asked if not wanted or task.value in wanted)


def refuse_others(project: Project, names: Collection[str]) -> None:
    """Raise NotAskedError if the project does not ask one of the named tasks."""
    asked = tasks_of(project)
    others = sorted(set(names) - {task.value for task in asked})
    if others:
        raise NotAskedError(
            f"The project {project.name!r} does not ask {', '.join(others)}. "
            f"It asks {', '.join(task.value for task in asked)}."
        )


AT_WORK_SECONDS = 120.0
"""A program is at work for this long after it has asked for questions, and while it holds some."""


def models_at_work(
    project_id: int, model_annotators: Sequence[int], now: datetime, task: Task | None = None
) -> tuple[int, ...]:
    """Return those of a project's model annotators that are at work: on a task, or on any."""
    if not model_annotators:
        return ()
    of: dict[str, Any] = {"project": project_id, "worker__in": model_annotators}
    if task is not None:
        of["task"] = task.value
    asked = Access.objects.filter(**of, asked_at__gt=now - timedelta(seconds=AT_WORK_SECONDS))
    hold = Assignment.objects.filter(**of, state=Assignment.State.ACTIVE, expires_at__gt=now)
    found = {*asked.values_list("worker", flat=True), *hold.values_list("worker", flat=True)}
    return tuple(model_annotator for model_annotator in model_annotators if model_annotator in found)


@dataclass(slots=True)
class JudgmentCounts:
    """The judgments of one project. Virtual workers count as people."""

    people: int = 0
    """Of real questions, like those of programs."""
    programs: int = 0
    known: int = 0
    """Of questions whose answer is known: tests, verification questions and examples."""
    tasks: Counter[str] = field(default_factory=Counter)
    """Of real questions, by task."""

    @property
    def total(self) -> int:
        return self.people + self.programs + self.known

    @property
    def words(self) -> str:
        """The judgments of real questions in words, as in "1,418 judgments of people, 30 of programs"."""
        noun = "judgment" if self.people == 1 else "judgments"
        return f"{self.people:,} {noun} of people{self.of_programs and f', {self.of_programs}'}"

    @property
    def of_programs(self) -> str:
        """Those of programs in words; empty: there are none."""
        return f"{self.programs:,} of programs" if self.programs else ""


def judgment_counts(projects: Sequence[int]) -> dict[int, JudgmentCounts]:
    """Count the judgments of these projects, as of a moment ago in large ones."""
    key = ",".join(map(str, sorted(projects)))
    return cached_read(f"judgments:{key}", lambda: count_judgments(projects))


def count_judgments(projects: Sequence[int]) -> dict[int, JudgmentCounts]:
    """Return what `judgment_counts` does, not kept from a moment ago."""
    rows = Judgment.objects.filter(assignment__project__in=projects).order_by()
    is_known = Case(When(known=None, then=False), default=True, output_field=BooleanField())
    parts = rows.values_list("assignment__project", "assignment__task", "worker__kind", is_known)
    found: dict[int, JudgmentCounts] = defaultdict(JudgmentCounts)
    for project, task, kind, of_known, number in parts.annotate(Count("id")):
        counts = found[project]
        if of_known:
            counts.known += number
            continue
        counts.tasks[task] += number
        if kind == Worker.Kind.PROGRAM:
            counts.programs += number
        else:
            counts.people += number
    return {project: found[project] for project in projects}
