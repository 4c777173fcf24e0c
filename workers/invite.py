"""Make a link by which people join a project."""

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone

from workers.models import Invitation


def invite(
    *,
    project_id: int,
    tasks: Iterable[str] = (),
    trusted: bool = False,
    most: int | None = None,
    days: float | None = None,
    note: str = "",
) -> Invitation:
    """`tasks`: none means all. `trusted`: who joins needs no test and no probation.

    `most`: how many may join; `days`: how long it is good; None: no limit.
    """
    expires = None if days is None else timezone.now() + timedelta(days=days)
    terms = {"trusted": trusted, "most": most, "expires_at": expires, "note": note}
    return Invitation.objects.create(project_id=project_id, tasks=list(tasks), **terms)
