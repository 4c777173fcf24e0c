"""Offers, sessions and payments as our code stores them."""

from typing import Any

import pytest

from platforms.models import Offer, Session
from platforms.mturk.platform import MTurkPlatform
from platforms.sessions import open_session
from tests.platforms.samples import claimed_offer, published
from tests.support.rows import make_project
from tests.twins.mturk import MTurkTwin
from tests.twins.mturk.records import HIT, Assignment

ANN, BOB, CAY = "A1ANN", "A2BOB", "A3CAY"
QUEUE_URL = "https://sqs.us-east-1.amazonaws.com/1/chainbox"
FAULTS = [
    pytest.param("before", "cut", id="cut before"), pytest.param("after", "cut", id="cut after"),
    pytest.param("before", "throttle", id="throttle before"), pytest.param("after", "500", id="500 after"),
]  # fmt: skip
"""A line that stays silent takes its time to be noticed, and is tried once."""


def an_offer(kind: Offer.Kind = Offer.Kind.WORK, **changes: Any) -> Offer:
    """Claimed, and not yet published."""
    project = changes.pop("project", None) or make_project()
    return claimed_offer(project, "mturk", **{"kind": kind, "reward_cents": 105} | changes)


def open_offer(mturk: MTurkPlatform, kind: Offer.Kind = Offer.Kind.WORK, **changes: Any) -> Offer:
    return published(mturk, an_offer(kind, **changes))


def hits(twin: MTurkTwin) -> list[HIT]:
    """All that were ever made."""
    return list(twin._account.hits.values())


def at_work(mturk: MTurkPlatform, twin: MTurkTwin, offer: Offer, worker: str = ANN) -> Assignment:
    """They have passed the test, and accepted the HIT."""
    mturk.screen(project_id=offer.project_id, task=offer.task, passed={worker: True})
    return twin.accept(offer.external_id, worker)


def handed_in(mturk: MTurkPlatform, twin: MTurkTwin, offer: Offer, worker: str = ANN) -> Session:
    """A session that waits for review."""
    assignment = twin.submit(at_work(mturk, twin, offer, worker).id, [("receipt", "1")])
    session = open_session(offer=offer, external_worker=worker, external_id=assignment.id)
    session.state, session.platform_state = Session.State.FINISHED, Session.PlatformState.SUBMITTED
    session.save()
    return session
