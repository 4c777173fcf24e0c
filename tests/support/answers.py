"""Rows of answers of many workers, made directly, for tests of what is found out about workers."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from annotation.models import Image, Project
from pipeline.known.known_answer import is_right_answer
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.rows import NOW
from workers.models import Worker

SHOWN: dict[str, Any] = {"mentions": [], "boxes": [], "new_box": None}
_numbers = count(1000)


def make_question(image: Image, task: Task) -> Question:
    """Make a closed question."""
    number = next(_numbers)
    place = {"project_id": image.project_id, "image": image, "task": task.value, "number": number}
    return Question.objects.create(**place, subject=[number, number + 1], state="closed", outcome="made", opened_at=NOW)


def make_known(image: Image, task: Task, truth: Any) -> KnownQuestion:
    """Make a verification question."""
    place = {"project_id": image.project_id, "image": image, "task": task.value}
    return KnownQuestion.objects.create(**place, shown=SHOWN, truth=truth, key=f"{next(_numbers)}", source="gold")


def handed_in(
    project: Project, who: Worker, task: Task = Task.BOX_DRAWING, seconds: float = 120, **values: Any
) -> Assignment:
    """Make an assignment that the worker submitted now, so many seconds after it was given; it paid 20 cents."""
    now = timezone.now()
    times = {"created_at": now - timedelta(seconds=seconds), "expires_at": now, "ended_at": now}
    given = {"state": "submitted", "questions": [], "earned_cents": 20, "reward_cents": 20, **times, **values}
    return Assignment.objects.create(project=project, worker=who, task=task.value, **given)


def make_answers(
    worker: Worker, answers: Iterable[tuple[Question | KnownQuestion, Any]], seconds: float = 7.0, **assignment: Any
) -> list[Judgment]:
    """Make the worker's answers in one submitted assignment, which is not in the record."""
    given = list(answers)
    asked = given[0][0]
    times = {"created_at": NOW, "expires_at": NOW + timedelta(hours=1), "ended_at": NOW + timedelta(minutes=1)}
    place = {"project_id": asked.project_id, "task": asked.task, "worker": worker, "state": "submitted"}
    made = Assignment.objects.create(**place, questions=[], **{**times, **assignment})
    rows = [Judgment(**_what(one, answer), worker=worker, assignment=made, answer=answer) for one, answer in given]
    for row in rows:
        row.seconds, row.created_at = seconds, made.ended_at  # type: ignore[assignment]
    return Judgment.objects.bulk_create(rows)


def _what(asked: Question | KnownQuestion, answer: Any) -> dict[str, Any]:
    if isinstance(asked, Question):
        return {"question": asked}
    return {"known": asked, "right": is_right_answer(Task(asked.task), asked.truth, answer)}


def links_with_votes(votes: Sequence[tuple[str, ...]]) -> Project:
    """Make a project with a link for each of these tuples of answers, the first of which has closed it.

    "program" is the answer of a program, that B is part of A.
    """
    images = [phrases("people: three men", "people: one of them", name=str(number)) for number in range(len(votes))]
    project = project_of(*images, settings=Settings(strategy=LinkStrategy.EXHAUSTIVE, part_answers=True))
    assignment = lease(project, worker(project, "ada"), Task.COREFERENCE_LINK)
    places = dict(Question.objects.values_list("pk", "image__position"))
    submit(assignment, *(votes[places[number]][0] for number in assignment.questions))
    tick(project_id=project.pk)
    given = list(Judgment.objects.order_by("question__image__position"))
    for judgment, (_, *others) in zip(given, votes, strict=True):
        for number, one in enumerate(others):
            kind = Worker.Kind.PROGRAM if one == "program" else Worker.Kind.PERSON
            judgment.pk, judgment.answer = None, "b is part of a" if one == "program" else one
            judgment.worker = worker(project, f"{kind} {number}", kind=kind)
            judgment.save()
    return project
