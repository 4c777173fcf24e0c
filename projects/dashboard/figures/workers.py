"""Workers by task: the paper's table 3 for this project, agreement, scores, and the questions that will stop them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import Avg, Count, DurationField, Exists, ExpressionWrapper, F, OuterRef, Q
from django.db.models.functions import Least

from annotation.models import Box, Project
from annotation.rules.states import BoxState
from exchange.statistics.measure import part_agreement
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.project.queries import tasks_of_id
from pipeline.protocol.tasks.coreference_link import in_chains
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.starve_questions import starved_questions
from pipeline.stock.known_questions import Purpose
from pipeline.stock.stock_forecast import known_forecasts
from projects.lifecycle.new_workers import ways_in
from projects.quality.answers_of_task import REQUIREMENT, word
from workers.models import Access, SkillEstimate, TrustChange, TrustStatus
from workers.rules.trust_states import TrustEvent, TrustState

BINS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.01)
"""The edges of the classes of scores."""
FAILED = (TrustEvent.FAIL_PROBATION, TrustEvent.FAIL_AGAIN)
REQUIRED = {REQUIREMENT[1]: "box required", REQUIREMENT[2]: "no box required", REQUIREMENT[3]: "no box required"}


def figures_of_workers(project_id: int) -> dict[str, Any]:
    """Return for each task its row of table 3, and its agreement; the workers in each class of scores; and parts."""
    trusted = _trusted(project_id)
    seconds, right, agreed = _seconds(project_id), _right(project_id), _agreement(project_id)
    rejected = _rejected(project_id)
    rows, tasks = {}, tasks_of_id(project_id)
    for task in tasks:
        shares = [good / number for who, (good, number) in right[task.value].items() if who in trusted[task.value]]
        same, judged = agreed[task.value]
        no, decided = rejected[task.value]
        rows[task.value] = {
            "seconds": seconds.get(task.value),
            "trusted": len(trusted[task.value]),
            "quality": sum(shares) / len(shares) if shares else None,
            "rejected": no / decided if decided else None,
            "agreement": same / judged if judged else None,
            "judged": judged,
        }
    scores = _scores(project_id, [task.value for task in tasks])
    return {"tasks": rows, "scores": scores, "parts": part_agreement(project_id)}


def _trusted(project_id: int) -> dict[str, set[int]]:
    """Return the trusted workers of each task: by their status, or by hand, which leaves no row."""
    place = {"worker": OuterRef("worker"), "project_id": OuterRef("project_id"), "task": OuterRef("task")}
    others = TrustStatus.objects.filter(**place).exclude(state=TrustState.TRUSTED.value)
    found: dict[str, set[int]] = defaultdict(set)
    rows = Access.objects.filter(~Exists(others), project_id=project_id)
    for task, worker in rows.values_list("task", "worker"):
        found[task].add(worker)
    return found


def _seconds(project_id: int) -> dict[str, float]:
    """Return the mean seconds of a submitted assignment, from its lease to its submission."""
    leased = ExpressionWrapper(Least("ended_at", "expires_at") - F("created_at"), DurationField())
    done = Assignment.objects.filter(project=project_id, state=Assignment.State.SUBMITTED, kind=Assignment.Kind.WORK)
    rows = done.order_by().values_list("task").annotate(time=Avg(leased))
    return {task: time.total_seconds() for task, time in rows}


def _right(project_id: int) -> dict[str, dict[int, tuple[int, int]]]:
    """Return right ones and all, by task and worker: verification questions, and for drawing also judged boxes."""
    asked = {"known__project": project_id, "known__purpose": KnownQuestion.Purpose.VERIFICATION}
    rows = Judgment.objects.filter(**asked).order_by().values_list("known__task", "worker")
    found: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for task, worker, good, number in rows.annotate(good=Count("id", filter=Q(right=True)), all=Count("id")):
        found[task][worker] = (good, number)
    boxes = Box.objects.filter(image__project=project_id, judged_at__isnull=False, drawn_by__isnull=False)
    accepted = Count("id", filter=Q(state=BoxState.ACCEPTED.value))
    drawing = found[Task.BOX_DRAWING.value]
    for worker, good, number in boxes.order_by().values_list("drawn_by").annotate(good=accepted, all=Count("id")):
        before = drawing.get(worker or 0, (0, 0))
        drawing[worker or 0] = (before[0] + good, before[1] + number)
    return found


def _agreement(project_id: int) -> dict[str, tuple[int, int]]:
    """Return judgments equal to the outcome of their question, and all, by task; without drawings."""
    closed = {"question__project": project_id, "question__state": QuestionState.CLOSED.value}
    rows = Judgment.objects.filter(**closed).exclude(question__task=Task.BOX_DRAWING.value)
    counted = rows.order_by().values_list("question__task", "answer", "question__outcome").annotate(Count("id"))
    same: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for task, answer, outcome, number in counted:
        said, outcome = word(in_chains(answer)), in_chains(outcome)
        judged[task] += number
        same[task] += number * (REQUIRED.get(said, said) == outcome)
    return {task.value: (same[task.value], judged[task.value]) for task in Task}


def _rejected(project_id: int) -> dict[str, tuple[int, int]]:
    """Return what was rejected, and all that was decided, by task, of workers who were not trusted yet.

    Assignments whose batch was not used, in the verification model; probations that were failed, in the other.
    """
    no, all_of_them = Counter[str](), Counter[str]()
    waited = Assignment.objects.filter(project=project_id, acceptance__in=["accepted", "refused"])
    for task, acceptance, number in waited.order_by().values_list("task", "acceptance").annotate(Count("id")):
        no[task] += number * (acceptance == "refused")
        all_of_them[task] += number
    ended = TrustChange.objects.filter(project_id=project_id, event__in=[TrustEvent.PASS_PROBATION, *FAILED])
    for task, event, number in ended.order_by().values_list("task", "event").annotate(Count("id")):
        no[task] += number * (event != TrustEvent.PASS_PROBATION)
        all_of_them[task] += number
    return {task.value: (no[task.value], all_of_them[task.value]) for task in Task}


def _scores(project_id: int, tasks: Sequence[str]) -> dict[str, list[int]]:
    found = {task: [0] * (len(BINS) - 1) for task in tasks}
    estimates = SkillEstimate.objects.filter(project_id=project_id, task__in=tasks)
    for task, accuracy in estimates.values_list("task", "accuracy"):
        found[task][next(place for place, edge in enumerate(BINS[1:]) if accuracy < edge)] += 1
    return found


def known_question_figures(project_id: int) -> dict[str, Any]:
    """Return for each task its stock, how long it lasts, and its warnings; and the number of starved questions."""
    project = Project.objects.get(pk=project_id)
    closed = not ways_in(project)  # nobody can join who is not trusted
    tasks = {}
    for task, forecast in known_forecasts(project_id).items():
        unseen = [worker for worker in forecast.left if worker.unseen]
        tasks[task.value] = {
            "questions": forecast.counts[Purpose.VERIFICATION],
            "new_worker": forecast.each,
            "first": forecast.first,
            "active": len(forecast.left),
            "left": len(unseen),
            "warnings": [
                warning for warning in forecast.warnings if not (closed and warning in forecast.for_new_workers)
            ],
        }
    return {"tasks": tasks, "starved": len(starved_questions(project_id))}
