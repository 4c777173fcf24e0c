"""The stock of verification questions: added at any time, counted, and retired at any time."""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from django.utils import timezone

from pipeline.errors import BadAnswerError
from pipeline.models import Judgment, KnownQuestion, Question
from pipeline.rules.known.explanation import explain
from pipeline.rules.known.known_answer import fits_task
from pipeline.rules.known.known_from_gold import Known
from pipeline.rules.tasks.task import Task

Source, Purpose = KnownQuestion.Source, KnownQuestion.Purpose
LONGEST = 500
"""Characters of an explanation, as its column holds them."""


def add_known(
    *,
    project_id: int,
    image_id: int,
    known: Iterable[Known],
    source: KnownQuestion.Source,
    added_by: str = "",
    purpose: KnownQuestion.Purpose = Purpose.VERIFICATION,
    explanation: str = "",
) -> int:
    """Put questions about one image into the stock; what is there already, for whatever purpose, stays as it is.

    Whoever answered the same as a real question, or may not, is never asked it. An example without an explanation
    gets one of ours. Returns how many are new.
    BadAnswerError: a truth does not fit its task; nothing is added.
    """
    wanted = list(known)
    for one in wanted:
        if not fits_task(one.task, one.truth):
            raise BadAnswerError(f"{one.truth!r} cannot be the right answer to a question of {one.task.label}.")
    asked = asked_of(image_id)
    common = {"project_id": project_id, "image_id": image_id, "source": source, "added_by": added_by[:150]}
    rows = []
    for one in wanted:
        key = key_of(image_id, one.shown)
        why = explanation or (explain(*one) if purpose == Purpose.EXAMPLE else "")
        values = {"shown": one.shown, "truth": one.truth, "purpose": purpose, "explanation": why[:LONGEST]}
        values["not_for"] = sorted(asked.get((one.task.value, key), ()))
        rows.append(KnownQuestion(task=one.task.value, key=key, **common, **values))
    before = KnownQuestion.objects.filter(image_id=image_id).count()
    KnownQuestion.objects.bulk_create(rows, ignore_conflicts=True)
    return KnownQuestion.objects.filter(image_id=image_id).count() - before


def key_of(image_id: int, shown: dict[str, Any]) -> str:
    """The same for two questions just when a worker is shown the same."""
    return sha256(f"{image_id} {json.dumps(shown, sort_keys=True)}".encode()).hexdigest()


def asked_of(image_id: int) -> dict[tuple[str, str], set[int]]:
    """By task and key the workers who answered the image's real questions, or may not answer them."""
    workers: dict[int, set[int]] = {}
    judged = Judgment.objects.filter(question__image_id=image_id).values_list("question_id", "worker_id")
    for question, worker in judged:
        workers.setdefault(question, set()).add(worker)
    found: dict[tuple[str, str], set[int]] = {}
    rows = Question.objects.filter(image_id=image_id).values_list("id", "task", "shown", "barred")
    for number, task, shown, barred in rows:
        found.setdefault((task, key_of(image_id, shown)), set()).update(workers.get(number, ()), barred)
    return found


def stock(project_id: int, task: Task, purpose: KnownQuestion.Purpose = Purpose.VERIFICATION) -> int:
    """How many questions of the task there are for the purpose, those that are retired left out."""
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, purpose=purpose, retired_at=None)
    return rows.count()


def retire_known(known_id: int) -> bool:
    """It is asked no more; what workers answered counts as before. False: it was retired already."""
    return KnownQuestion.objects.filter(id=known_id, retired_at=None).update(retired_at=timezone.now()) == 1
