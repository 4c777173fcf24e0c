"""The values that the API sends: an assignment, examples, and what became of a submission.

A question whose answer is known looks like any other.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import Caption, Project
from labelling.pictures import picture_link
from pipeline.asking.lease_assignment import Lease
from pipeline.asking.read_assignment import Item
from pipeline.asking.receipt import Receipt
from pipeline.models import Assignment, KnownQuestion
from pipeline.rules.tasks.answers import drawing
from pipeline.rules.tasks.task import Task

Captions = dict[tuple[int, int], tuple[str, list[str], list[int]]]
"""(text, words, where each word begins) by image and caption number."""
MOST_EXAMPLES = 20
TIME_OUT = "Your time had run out,"


def assignment_payload(lease: Lease, project: str, now: datetime) -> dict[str, Any]:
    """Return an assignment with its questions. Costs one statement: the captions of all questions."""
    assignment = lease.assignment
    captions = captions_of(question.image_id for question in lease.questions)
    return {
        "token": str(assignment.token),
        "project": project,
        "task": assignment.task,
        "kind": assignment.kind,
        "state": assignment.state,
        "seconds_left": seconds_left(assignment, now),
        "reward_cents": assignment.reward_cents,
        "currency": lease.settings.currency,
        "draft": assignment.draft,
        "questions": [question_shown(question, captions) for question in lease.questions],
    }


def seconds_left(assignment: Assignment, now: datetime) -> float:
    """Return the seconds until the lease ends; 0 if it has run out or the assignment has ended."""
    if assignment.state != Assignment.State.ACTIVE:
        return 0.0
    return max(0.0, round((assignment.expires_at - now).total_seconds(), 1))


def examples_of(project: Project, task: Task) -> list[dict[str, Any]]:
    """Return up to `MOST_EXAMPLES` examples, the oldest first: questions with `answer` and `explanation`.

    Costs two statements.
    """
    wanted = {"task": task.value, "purpose": KnownQuestion.Purpose.EXAMPLE, "retired_at": None}
    examples = KnownQuestion.objects.filter(project=project, **wanted).select_related("image").order_by("id")
    rows = list(examples[:MOST_EXAMPLES])
    captions = captions_of(row.image_id for row in rows)
    return [
        {**question_shown(row, captions), "answer": right_answer(task, row.truth), "explanation": row.explanation}
        for row in rows
    ]


def right_answer(task: Task, truth: Any) -> Any:
    """Return a right answer. For box drawing this is the first of the missing boxes: the task asks for one."""
    if task is not Task.BOX_DRAWING:
        return truth
    return drawing(truth[0] if truth else None)


def captions_of(image_ids: Iterable[int]) -> Captions:
    rows: QuerySet[Caption] = Caption.objects.filter(image_id__in=set(image_ids))
    columns = ("image_id", "number", "text", "words", "offsets")
    return {(image, number): rest for image, number, *rest in rows.values_list(*columns).order_by()}  # type: ignore[misc]


def question_shown(question: Item, captions: Captions) -> dict[str, Any]:
    """Return what a worker sees of a question: the picture, the captions with their phrases, and the boxes."""
    image, shown = question.image, question.shown
    return {
        "image": {
            "url": picture_link(image.picture, "screen"),
            "full_url": picture_link(image.picture, "full"),
            "width": image.width,
            "height": image.height,
        },
        "captions": _captions_shown(question.image_id, shown["mentions"], captions),
        "boxes": shown["boxes"],
        "new_box": shown["new_box"],
    }


def _captions_shown(image: int, mentions: Sequence[Sequence[int]], captions: Captions) -> list[dict[str, Any]]:
    """Return the captions in the order of the mentions. A phrase is given by its place in the text."""
    shown: dict[int, dict[str, Any]] = {}
    for mention, number, first, end in mentions:
        text, words, offsets = captions[image, number]
        caption = shown.setdefault(number, {"number": number, "text": text, "phrases": []})
        last = end - 1
        caption["phrases"].append(
            {"mention": mention, "start": offsets[first], "end": offsets[last] + len(words[last])}
        )
    return list(shown.values())


def receipt_in_words(receipt: Receipt) -> str:
    """Return what the worker should know about a submission; empty if every answer was stored."""
    if receipt.assignment.acceptance == Assignment.Acceptance.REFUSED:
        return "This assignment is paid, but its answers are not used. See your status on the project's page."
    late = len(receipt.too_late)
    if not late:
        return ""
    if not receipt.stored:
        return f"{TIME_OUT} and others have answered these questions in the meantime. You are paid all the same."
    answers = "answer" if late == 1 else "answers"
    return f"{TIME_OUT} and {late} {answers} came too late: others had answered first. The rest is stored."
