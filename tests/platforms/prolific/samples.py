"""Offers, sessions and payments as our code stores them."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Project
from platforms.models import Offer, Session
from platforms.prolific.platform import ProlificPlatform
from platforms.prolific.wire_format import code_of
from tests.platforms.samples import claimed_offer, published
from tests.support.rows import make_project, make_worker
from tests.twins.prolific import Participant, ProlificTwin

FAULTS = [
    pytest.param(how, kind, id=f"{kind} {how}")
    for how in ("before", "after")
    for kind in ("timeout", "cut", "500", "throttle")
    # A throttled call never takes effect.
    if (how, kind) != ("after", "throttle")
]
FEW_FAULTS = [
    pytest.param("before", "500", id="500 before"),
    pytest.param("after", "cut", id="cut after"),
    pytest.param("before", "throttle", id="throttle before"),
]
"""Faults of calls that are simply repeated."""


def a_project(name: str = "parks") -> Project:
    """A project in dollars, like the twin's account."""
    return Project.objects.filter(name=name).first() or make_project(name)


def an_offer(kind: Offer.Kind = Offer.Kind.ENTRY, **changes: Any) -> Offer:
    """An offer that was claimed, but not published."""
    return claimed_offer(a_project(), "prolific", **{"kind": kind, "reward_cents": 150} | changes)


def open_offer(prolific: ProlificPlatform, kind: Offer.Kind = Offer.Kind.ENTRY, **changes: Any) -> Offer:
    return published(prolific, an_offer(kind, **changes))


def handed_in(twin: ProlificTwin, offer: Offer, who: Participant | None = None) -> str:
    """Return the id of a submission that waits for review."""
    someone = who or twin.participant()
    someone.start(offer.external_id)
    return someone.complete(code_of(offer)).id


def a_session(offer: Offer, submission: str) -> Session:
    now = timezone.now()
    return Session.objects.create(
        offer=offer,
        worker=make_worker(),
        external_id=submission,
        state=Session.State.FINISHED,
        opened_at=now,
        ends_at=now + timedelta(hours=1),
    )
