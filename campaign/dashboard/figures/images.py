"""Images that stand out: about which workers disagreed most, and which took the most time."""

from typing import Any

from django.db.models import Count, Q, Sum

from annotation.models import Image
from annotation.rules.states import ChainState
from pipeline.models import Judgment, Transition

SHOWN = 12
S = ChainState
BACK = (
    (S.QUALITY, S.DRAWING),
    (S.COVERAGE, S.DRAWING),
    (S.DRAWING, S.REQUIREMENT),
    (S.DRAWING, S.REVIEW),
    (S.QUALITY, S.REVIEW),
)
"""Moves against the current: a worker did not accept what another had done."""


def images(project_id: int) -> dict[str, Any]:
    """Return the images with the most moves against the current, and with the most seconds of answering."""
    against = Q()
    for old, new in BACK:
        against |= Q(old=old.value, new=new.value)
    moves = Transition.objects.filter(against, project=project_id, machine="chain").order_by().values_list("image")
    disputed = list(moves.annotate(number=Count("id")).order_by("-number", "image")[:SHOWN])
    times = Judgment.objects.filter(question__project=project_id, seconds__isnull=False).order_by()
    spent = times.values_list("question__image").annotate(number=Sum("seconds"))
    slowest = list(spent.order_by("-number", "question__image")[:SHOWN])
    ids = [image for image, _ in (*disputed, *slowest)]
    known = {row.pk: row for row in Image.objects.filter(pk__in=ids)}

    def rows(found: list[tuple[int, Any]]) -> list[dict[str, Any]]:
        return [
            {"id": pk, "name": known[pk].name, "picture": bool(known[pk].picture), "value": round(value)}
            for pk, value in found
            if pk in known
        ]

    return {"disputed": rows(disputed), "slowest": rows(slowest)}
