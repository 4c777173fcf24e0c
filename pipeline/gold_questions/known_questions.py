"""Add questions to the stock of verification questions, count them and retire them, at any time."""

import json
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from pipeline.errors import BadAnswerError
from pipeline.known.explanation import explain
from pipeline.known.known_answer import fits_task
from pipeline.known.known_from_gold import GoldQuestion, known_view
from pipeline.models import Judgment, KnownQuestion, Progress, Question
from pipeline.project.open_questions import met_captions
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.survey import tokens_shown
from pipeline.protocol.tasks.task import Task
from runtime import clock
from workers.models import TrustStatus

Source, Purpose = KnownQuestion.Source, KnownQuestion.Purpose
MAX_EXPLANATION_LENGTH = 500
"""Characters of an explanation, as many as its column holds."""


def add_known(
    *,
    project_id: int,
    image_id: int,
    known: Iterable[GoldQuestion],
    source: KnownQuestion.Source,
    added_by: str = "",
    purpose: KnownQuestion.Purpose = Purpose.VERIFICATION,
    explanation: str = "",
    not_for: Collection[int] = (),
) -> int:
    """Add questions about one image to the stock, and return how many are new.

    A question that is in the stock already, for whatever purpose, stays as it is. Workers who answered the same as a
    real question, or who may not answer it, are never asked it, nor are those of `not_for`, by id. An example without
    an explanation gets one that names its phrases.
    Raises BadAnswerError if a truth does not fit its task; nothing is added then.
    """
    wanted = list(known)
    phrases = _phrases_of(image_id) if purpose == Purpose.EXAMPLE and not explanation else {}
    whys = [explanation or (explain(gold_question, phrases) if phrases else "") for gold_question in wanted]
    new = [
        New(image_id, gold_question, added_by, not_for, why) for gold_question, why in zip(wanted, whys, strict=True)
    ]
    return add_all(project_id=project_id, new=new, source=source, purpose=purpose)


class New(NamedTuple):
    """A question to be added to the stock; the fields are those of `add_known`."""

    image: int
    known: GoldQuestion
    added_by: str = ""
    not_for: Collection[int] = ()
    explanation: str = ""


def add_all(
    *, project_id: int, new: Sequence[New], source: KnownQuestion.Source, purpose: KnownQuestion.Purpose
) -> int:
    """Add questions about any number of images, as `add_known` does, and return how many are new."""
    for question in new:
        known = question.known
        words, candidates = tokens_shown(known.shown), candidates_in(known.task, known.shown)
        if not fits_task(known.task, known.truth, words=words, candidates=candidates):
            raise BadAnswerError(f"{known.truth!r} cannot be the right answer to a question of {known.task.label}.")
    images = {question.image for question in new}
    asked = excluded_workers(images)
    common = {"project_id": project_id, "source": source, "purpose": purpose}
    rows = []
    for question in new:
        task, shown = question.known.task.value, known_view(question.known.shown)
        values = {
            "image_id": question.image,
            "task": task,
            "key": key_of(question.image, shown),
            "shown": shown,
            "truth": question.known.truth,
        }
        others = (asked.get((task, key), set()) for key in keys_of(question.known.task, question.image, shown))
        values["not_for"] = sorted({*question.not_for}.union(*others))
        texts = {"added_by": question.added_by[:150], "explanation": question.explanation[:MAX_EXPLANATION_LENGTH]}
        rows.append(KnownQuestion(**common, **values, **texts))
    before = KnownQuestion.objects.filter(image__in=images).count()
    KnownQuestion.objects.bulk_create(rows, ignore_conflicts=True)
    return KnownQuestion.objects.filter(image__in=images).count() - before


def _phrases_of(image_id: int) -> dict[int, str]:
    mentions = from_json(Progress.objects.get(image=image_id).state).mentions
    return {number: mention.text for number, mention in mentions.items()}


def key_of(image_id: int, shown: dict[str, Any]) -> str:
    """Return a digest that two questions share if, and only if, workers are shown the same."""
    return sha256(f"{image_id} {json.dumps(known_view(shown), sort_keys=True)}".encode()).hexdigest()


def keys_of(task: Task, image_id: int, shown: dict[str, Any]) -> list[str]:
    """Return the digests of what a question asks: nobody is asked one of them twice. Of a sweep those of its pairs."""
    if not candidates_in(task, shown):
        return [key_of(image_id, shown)]
    about, *others = shown["mentions"]
    pairs = (sorted((about, other), key=lambda place: place[1:3]) for other in others)
    return [key_of(image_id, {**shown, "mentions": pair}) for pair in pairs]


def excluded_workers(images: Collection[int]) -> dict[tuple[str, str], set[int]]:
    """Return the ids of workers who answered each real question of the images, or may not, by task and key."""
    workers: dict[int, set[int]] = {}
    judged = Judgment.objects.filter(question__image__in=images).values_list("question_id", "worker_id")
    for question, worker in judged:
        workers.setdefault(question, set()).add(worker)
    found: dict[tuple[str, str], set[int]] = {}
    for row in Question.objects.filter(image__in=images).only("id", "image_id", "task", "shown", "barred"):
        for key in keys_of(Task(row.task), row.image_id, row.shown):
            found.setdefault((row.task, key), set()).update(workers.get(row.id, ()), row.barred)
    return found


def count_known(project_id: int, task: Task, purpose: KnownQuestion.Purpose = Purpose.VERIFICATION) -> int:
    """Count the task's questions for the purpose, without retired ones."""
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, purpose=purpose, retired_at=None)
    return rows.count()


def unseen_count(status: TrustStatus, purpose: KnownQuestion.Purpose = Purpose.VERIFICATION) -> int:
    """Count the questions of the task's stock that the worker was not shown and may be asked.

    Of captions these are the pictures of which the worker has met none.
    """
    rows = KnownQuestion.objects.filter(
        project=status.project_id, task=status.task, purpose=purpose, retired_at=None
    ).values_list("id", "image_id", "not_for")
    seen = set(status.seen)
    left = [
        (number, image) for number, image, not_for in rows if number not in seen and status.worker_id not in not_for
    ]
    if left and status.task == Task.CAPTION_CHECK.value:
        met = met_captions(status.worker_id, status.project_id)
        return len({image for number, image in left if met.leaves_free(number, image)})
    return len(left)


def retire_known(known_id: int) -> bool:
    """Stop asking a question; the answers to it count as before. Returns False if it was retired already."""
    return KnownQuestion.objects.filter(id=known_id, retired_at=None).update(retired_at=clock.now()) == 1


MAX_CACHED_QUESTIONS = 20_000
"""Verification questions that a process keeps by id."""
EMPTY = "0 0"
"""The stamp of an empty stock."""

_by_id: dict[int, KnownQuestion] = {}


def known_by_id(ids: Iterable[int]) -> dict[int, KnownQuestion]:
    """Return verification questions by id, each with its image, retired or not.

    All callers share the same objects: do not change them.
    """
    found = {number: _by_id.get(number) for number in set(ids)}
    missing = [number for number, known in found.items() if known is None]
    read = _remember(KnownQuestion.objects.filter(id__in=missing).select_related("image")) if missing else ()
    return {number: known for number, known in found.items() if known is not None} | {known.id: known for known in read}


@lru_cache(maxsize=256)
def known_questions_of(project_id: int, task: Task, stamp: str) -> tuple[KnownQuestion, ...]:
    """Return the task's questions that can be asked, for every purpose. `stamp`: see `pipeline.asking.admission`."""
    rows = KnownQuestion.objects.filter(project_id=project_id, task=task.value, retired_at=None)
    return _remember(rows.select_related("image").order_by("id"))


@lru_cache(maxsize=256)
def alike_of(project_id: int, task: Task, stamp: str) -> dict[str, set[int]]:
    """Return the ids of the stock's questions by the digests of what they ask: a real question may ask the same."""
    found: dict[str, set[int]] = {}
    for known in known_questions_of(project_id, task, stamp):
        for key in keys_of(task, known.image_id, known.shown):
            found.setdefault(key, set()).add(known.id)
    return found


def forget() -> None:
    """Empty the cache. Only tests need it: they use the same ids for other questions."""
    known_questions_of.cache_clear()
    alike_of.cache_clear()
    _by_id.clear()


def _remember(rows: Iterable[KnownQuestion]) -> tuple[KnownQuestion, ...]:
    found = tuple(rows)
    if len(_by_id) + len(found) > MAX_CACHED_QUESTIONS:
        _by_id.clear()
    _by_id.update((row.id, row) for row in found)
    return found
