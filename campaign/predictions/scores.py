"""Scores of programs: their predictions for the phrases of verification questions, and what their boxes saved."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import Count

from annotation.models import Box, Project
from annotation.rules.states import BoxState
from campaign.models import ModelPrediction
from campaign.predictions.in_use import boxes_in_use, links_in_use
from pipeline.models import KnownQuestion
from pipeline.rules.known.prediction_score import SCORED, KnownOne, Standing, predicted, prediction_scores, standing
from pipeline.rules.settings.protocol import BATCH, USUAL_SECONDS, ProtocolSettings
from pipeline.rules.tasks.task import Task
from workers.rules.score import Rule, Score


class TaskScore(NamedTuple):
    task: Task
    score: Score
    minimum: float
    standing: Standing


class Program(NamedTuple):
    """A program, what it predicted, and what came of its proposals."""

    id: int
    name: str
    images: int
    due: int
    """Images whose predictions are still to be entered in the record."""
    scores: tuple[TaskScore, ...]
    proposals: Mapping[str, int]
    """Its boxes that were proposed, by state."""
    links: str = ""
    """The use of the links of its chains, in a sentence; empty if it predicts no chains."""
    boxes: str = ""
    """The use of its boxes, in a sentence; empty if it predicts none."""

    @property
    def drawing_first(self) -> list[TaskScore]:
        return sorted(self.scores, key=lambda one: one.task is not Task.BOX_DRAWING)

    @property
    def proposed(self) -> int:
        return sum(self.proposals.values())

    @property
    def accepted(self) -> int:
        return self.proposals.get(BoxState.ACCEPTED.value, 0)

    @property
    def bad(self) -> int:
        return self.proposals.get(BoxState.DISCARDED.value, 0)


def programs(project: Project, settings: ProtocolSettings) -> list[Program]:
    """Return the programs with predictions in the project, by name."""
    rows = ModelPrediction.objects.filter(project=project).order_by("program__name")
    counted = rows.values_list("program", "program__name").annotate(Count("id"))
    due = dict(rows.filter(due=True).order_by().values_list("program").annotate(Count("id")))
    scores, boxes = _scores(project.pk), proposals(project.pk)
    with_chains, with_boxes = (
        set(rows.exclude(**{field: []}).order_by().values_list("program", flat=True).distinct())
        for field in ("chains", "boxes")
    )
    return [
        Program(
            number,
            name,
            images,
            due.get(number, 0),
            _told(scores[number], settings),
            boxes[number],
            links=links_in_use(number, settings) if number in with_chains else "",
            boxes=boxes_in_use(number, boxes[number], settings) if number in with_boxes or boxes[number] else "",
        )
        for number, name, images in counted
    ]


def _told(scores: Mapping[Task, Score], settings: ProtocolSettings) -> tuple[TaskScore, ...]:
    told = []
    for task in SCORED:
        score, minimum = scores.get(task, Score()), settings.minimum[task.value]
        told.append(TaskScore(task, score, minimum, standing(score, minimum, Rule(settings.below_minimum))))
    return tuple(told)


def _scores(project_id: int) -> dict[int, dict[Task, Score]]:
    """Return the scores by program. Reads the predictions for images of verification questions, and no others."""
    asked: dict[int, list[KnownOne]] = defaultdict(list)
    stock = KnownQuestion.objects.filter(project=project_id, retired_at=None, task__in=[one.value for one in SCORED])
    for image, task, shown, truth in stock.values_list("image_id", "task", "shown", "truth"):
        asked[image].append(KnownOne(Task(task), shown, truth))
    rows: dict[int, list[Any]] = defaultdict(list)
    said = ModelPrediction.objects.filter(project=project_id, image_id__in=stock.order_by().values("image_id"))
    for program, image, boxes, chains in said.order_by().values_list("program", "image_id", "boxes", "chains"):
        one = predicted(boxes, chains)
        rows[program] += [(one, known) for known in asked[image]]
    return defaultdict(dict, {program: prediction_scores(own) for program, own in rows.items()})


def proposals(project_id: int) -> dict[int, Counter[str]]:
    """Return the boxes that each program proposed, by their state. Boxes that were not taken yet are not counted."""
    found: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Box.objects.filter(image__project=project_id, proposed=True).order_by()
    for program, state, number in rows.values_list("drawn_by", "state").annotate(Count("id")):
        found[program or 0][state] += number
    return found


class Saved(NamedTuple):
    """Questions and time that proposals saved."""

    drawings: int
    """Drawing questions that were not asked: one for each accepted proposal."""
    seconds: float
    """Time of workers: that of these drawings, less that of judging the bad proposals."""


def saved(by_state: Mapping[str, int], drawing: float, quality: float) -> Saved:
    """Return what proposals saved. `drawing`, `quality`: seconds that a question of these tasks takes.

    A good proposal is judged as the drawn box would have been. That drawn boxes can be bad as well is left out, so that
    it saves rather more.
    """
    accepted, bad = by_state.get(BoxState.ACCEPTED.value, 0), by_state.get(BoxState.DISCARDED.value, 0)
    return Saved(accepted, accepted * drawing - bad * quality)


def paper_seconds(task: Task) -> float:
    """Return the seconds that a question takes in the paper: the time of an assignment over its questions."""
    return USUAL_SECONDS[task] / BATCH[task]
