"""The cost of a round depends on what is going on, not on the history."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Project
from pipeline.models import LedgerEntry
from platforms.contract.terms import Terms
from platforms.models import Identity, Offer, Payment, Screening, Session
from platforms.offers.recruit import begin_recruiting
from platforms.sync import sync
from tests.platforms.paper import Paper
from tests.support.money import ASK, REWARD, paying
from tests.support.recruiting import an_offer, comes
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db


class Counted(Paper):
    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()

    def __getattribute__(self, name: str) -> Any:
        if name in (
            "offer_status",
            "sessions",
            "bonuses",
            "publish",
            "withdraw",
            "screen",
            "balance_cents",
            "was_done",
        ):
            object.__getattribute__(self, "calls")[name] += 1
        return super().__getattribute__(name)


def history(project: Project, offers: int, each: int, workers: int) -> None:
    """Make offers that ended long ago, all of whose sessions were paid."""
    then = timezone.now() - timedelta(days=40)
    people = Worker.objects.bulk_create(Worker(name=f"old {number}") for number in range(workers))
    named = Identity.objects.bulk_create(
        Identity(worker=who, platform="mturk", external_id=f"OLD{number}") for number, who in enumerate(people)
    )
    place: dict[str, Any] = {"project_id": project.pk, "task": ASK.value}
    TrustStatus.objects.bulk_create(TrustStatus(worker=who, state="trusted", **place) for who in people)
    Screening.objects.bulk_create(Screening(identity=one, passed=True, **place) for one in named)
    ended = {"platform": "mturk", "kind": "work", "state": "ended", "seconds": 3600, "looked_at": timezone.now()}
    made = Offer.objects.bulk_create(
        Offer(
            key=f"{number:032d}",
            external_id=f"OLDHIT{number}",
            places=each,
            taken=each,
            reward_cents=REWARD,
            created_at=then,
            expires_at=then,
            **ended,
            **place,
        )
        for number in range(offers)
    )
    sessions = Session.objects.bulk_create(
        Session(
            offer=offer,
            worker=people[(position * each + number) % workers],
            external_id=f"OLD{position}x{number}",
            state="left" if number == 0 else "finished",
            platform_state="" if number == 0 else "approved",
            opened_at=then,
            ends_at=then,
        )
        for position, offer in enumerate(made)
        for number in range(each)
    )
    done = {"kind": "approve", "state": "done", "cents": REWARD, "created_at": then}
    Payment.objects.bulk_create(Payment(session=one, **done) for one in sessions if one.platform_state)
    pairs = (
        [("bonus", f"{one.pk}") for one in sessions if one.platform_state],
        [("paid", one.pk) for one in sessions if one.platform_state],
    )
    workers_of = {one.pk: one.worker_id for one in sessions}
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            kind=kind,
            worker_id=workers_of[int(number)],
            project_id=project.pk,
            cents=REWARD,
            reason="x",
            actor="mturk",
            reference=f"mturk/reward-{number}",
            created_at=then,
        )
        for rows in pairs
        for kind, number in rows
    )


def cost_of_a_round(platform: Counted, recruitment: Any) -> tuple[int, Counter[str]]:
    platform.calls.clear()
    with CaptureQueriesContext(connection) as statements:
        assert not sync(platform, recruitment).failures
    return len(statements), Counter(platform.calls)


@pytest.mark.parametrize("active", [True, False])
def test_calls_and_statements_of_a_round_do_not_grow_with_what_is_over(*, active: bool) -> None:
    project, platform = paying(3, each=20), Counted()
    terms = Terms(most_places=2, entry_places=0)
    recruitment = begin_recruiting(platform, project.pk, [ASK], terms, actor="ada")
    recruitment.active = active
    recruitment.save()
    for _ in range(3):
        sync(platform, recruitment)
    before = cost_of_a_round(platform, recruitment)
    history(project, offers=60, each=4, workers=20)
    sync(platform, recruitment)
    assert cost_of_a_round(platform, recruitment) == before


def test_sessions_that_are_listed_again_as_we_know_them_cost_nothing() -> None:
    project, platform = paying(3, each=20), Counted()
    recruitment = begin_recruiting(platform, project.pk, [ASK], Terms(entry_places=0), actor="ada")
    offer = an_offer(project, places=100)
    costs = []
    for number in range(2):
        for one in range(10 * number, 10 * number + 10):
            platform.lists(comes(offer, f"W{one}", f"A{one}"), Session.PlatformState.RETURNED)
        for _ in range(3):
            sync(platform, recruitment)
        costs.append(cost_of_a_round(platform, recruitment))
    assert costs[0] == costs[1]
