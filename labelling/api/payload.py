"""What a page receives of an assignment. Every question looks the same, whether or not its answer is known."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import Caption
from labelling.pictures import picture_link
from pipeline.asking.layout import Item
from pipeline.asking.lease_assignment import Lease
from pipeline.models import Assignment

Captions = dict[tuple[int, int], tuple[str, list[str], list[int]]]
"""(text, words, where each begins) by image and caption number."""


def assignment_payload(lease: Lease, project: str, now: datetime) -> dict[str, Any]:
    """Costs one statement: the captions of all its questions."""
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
    """Of the lease; 0 when it has run out or the assignment has ended."""
    if assignment.state != Assignment.State.ACTIVE:
        return 0.0
    return max(0.0, round((assignment.expires_at - now).total_seconds(), 1))


def captions_of(image_ids: Iterable[int]) -> Captions:
    rows: QuerySet[Caption] = Caption.objects.filter(image_id__in=set(image_ids))
    columns = ("image_id", "number", "text", "words", "offsets")
    return {(image, number): rest for image, number, *rest in rows.values_list(*columns).order_by()}  # type: ignore[misc]


def question_shown(question: Item, captions: Captions) -> dict[str, Any]:
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
    """The captions of the mentions, in the mentions' order, each with its phrases as places in the text."""
    shown: dict[int, dict[str, Any]] = {}
    for mention, number, first, end in mentions:
        text, words, offsets = captions[image, number]
        caption = shown.setdefault(number, {"number": number, "text": text, "phrases": []})
        last = end - 1
        caption["phrases"].append(
            {"mention": mention, "start": offsets[first], "end": offsets[last] + len(words[last])}
        )
    return list(shown.values())
