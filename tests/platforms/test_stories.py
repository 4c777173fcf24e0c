"""Stories on each platform, told and random, with failing calls, and the cost of a round.

`CHAINBOX_STORIES=1000` runs so many random stories instead of a few. A failing story is named by its number.
"""

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import product
from typing import Any, TypeVar

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model, QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from pipeline.errors import PipelineError
from pipeline.models import Assignment, LedgerEntry
from pipeline.money.ledger import accounts, unpaid_of
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from pipeline.settings.table_3 import BATCH
from platforms.contract import Bonus, OfferStatus, RecruitmentTerms
from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.invitations import NAME as INVITATIONS
from platforms.jobs import sync_job
from platforms.models import Identity, Offer, Payment, Screening, Session
from platforms.offers.read_offers import read_offers
from platforms.offers.recruit import begin_recruiting
from platforms.registry import platforms_set_up
from platforms.rules.settling import SessionFacts, bonus_cents
from platforms.sessions import finish_session
from platforms.settling.compare_ledger import compare_ledger
from platforms.settling.settle_by_hand import CannotSettleError, decide_unknown, retry_payment
from platforms.status import status_of
from platforms.sync import Round, settle, sync
from runtime import clock
from tests.platforms.paper import Paper, hands_in, works
from tests.platforms.story import ADA, BEN, assert_ended_well, ending, tell
from tests.platforms.world import HOWS, KINDS, World
from tests.support.money import ASK, REWARD, paying
from tests.support.projects import submit
from tests.support.recruiting import an_offer, asks, comes
from tests.support.trusting import TEST, add_stock
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(len(KINDS)))
def test_every_call_fails_before_and_after_it_takes_effect(world: World, turn: int) -> None:
    """All kinds of calls fail in one story, first before they take effect and then afterwards; over the turns, in each
    way at each moment. Those that move money fail four times.
    """
    kinds = KINDS[turn:] + KINDS[:turn]
    for call in world.side.kinds_of_calls:
        for kind in kinds if call in world.side.money_calls else kinds[:1]:
            world.side.fail(call, "before", kind)
        world.side.fail(call, "after", kinds[1])
    assert_ended_well(world, tell(world))
    assert not world.side.faults_left(), "a fault that never came proves nothing"


@pytest.mark.slow
def test_money_moves_once_though_the_answers_of_its_calls_are_lost_three_times(world: World) -> None:
    for call in world.side.money_calls:
        for kind in KINDS:
            world.side.fail(call, "after", kind)
    assert_ended_well(world, tell(world))


@pytest.mark.long
@pytest.mark.parametrize(("number", "how", "kind"), [*product(range(17), HOWS, KINDS)])
def test_one_call_fails(world: World, number: int, how: str, kind: str) -> None:
    """One kind of call fails three times, more than it is repeated."""
    if number >= len(world.side.kinds_of_calls):
        pytest.skip("this platform has fewer kinds of calls")
    world.side.fail(world.side.kinds_of_calls[number], how, kind, times=3)
    assert_ended_well(world, tell(world))


Kind = Offer.Kind


class Requester:
    """A browser of somebody who manages the project and has no other right."""

    def __init__(self, world: World) -> None:
        self.world, self.client = world, Client()
        user = add_member(User.objects.create_user("eve"), world.project, Role.REQUESTER).user
        self.client.force_login(User.objects.get(pk=user.pk))

    def address(self, page: str, *more: Any) -> str:
        return reverse(f"projects:{page}", args=[self.world.project.name, *more])

    def get(self, page: str, *more: Any) -> str:
        answer = self.client.get(self.address(page, *more))
        assert answer.status_code == 200, (page, answer.status_code)
        return answer.text

    def post(self, page: str, *more: Any, **sent: Any) -> str:
        answer = self.client.post(self.address(page, *more), sent, follow=True)
        assert answer.status_code == 200, (page, re.findall(r"error[^<]*<.{0,300}", answer.text, re.S))
        return answer.text

    def there(self, page: str, **sent: Any) -> str:
        """Use a page of recruiting on the platform: look at it, or send something."""
        place = self.world.side.name
        return self.post(page, place, **sent) if sent else self.get(page, place)

    def pay(self) -> None:
        """Settle what the page shows, and let the rounds come to their end."""
        shown = re.search(r'name="digest" value="([^"]+)"', self.there("settle"))
        assert shown
        self.there("settle", digest=shown[1])
        self.world.settle()


@pytest.mark.slow
def test_from_the_first_offer_to_the_last_payment_without_the_admin(world: World) -> None:
    eve = Requester(world)
    add_stock(world.project, 10, TEST)
    assert eve.client.get("/admin/platforms/recruitment/").status_code in (302, 403)
    form = eve.client.get(eve.address("offer", world.side.name)).context["form"]
    terms = {field.name: field.value() for field in form if field.value() is not False}
    assert "What this may cost" in eve.there("offer", **terms)
    assert "The work is offered" in eve.there("offer", **terms, total_cents=10_000_00, sent="yes")
    world.settle()
    for who in (ADA, BEN):
        world.does(world.offers(Kind.ENTRY)[0], who)
    assert "The platform is being read" in eve.there("read_platform", now="yes")
    eve.pay()
    work = world.offers(Kind.WORK)
    two, one = world.does(work[0], ADA, assignments=2), world.does(work[-1], BEN)
    why = {"row": [Assignment.objects.get(session=one).pk], "sent": "yes", "reason": "All answers are the same."}
    assert "0.50 refused" in eve.post("assignments", one.worker_id, act="refuse", **why)
    eve.pay()
    back = {"act": "restore", "row": [one.pk], "sent": "yes", "reason": "They were right."}
    assert "0.50 are owed again" in eve.there("sessions", **back)
    good = {"bonus-amount": "0.25", "bonus-reason": "Good work.", "bonus-reference": "b1"}
    assert "gets a bonus" in eve.post("worker_bonus", two.worker_id, **good)
    world.settle()
    assert "Both agree to the cent" in eve.there("compare")
    assert str(Session.objects.get(pk=one.pk).external_id) in eve.there("sessions")
    assert "override" in eve.there("payments") and "2.75" in eve.get("money")
    assert "Stopped." in eve.there("stop_recruiting", now="yes")
    world.settle()
    assert_ended_well(world, ending(world))
    unused = set(world.side.kinds_of_calls) - world.side.used()
    assert not unused, f"the stories would not notice if these failed: {unused}"


Happening, PlatformState = Payment.Kind, Session.PlatformState
STATES = {
    Happening.APPROVE: (PlatformState.SUBMITTED, PlatformState.APPROVED),
    Happening.OVERRIDE: (PlatformState.REJECTED, PlatformState.APPROVED),
    Happening.REJECT: (PlatformState.SUBMITTED, PlatformState.REJECTED),
}
"""Of a session before and after it."""


@dataclass
class Market(Paper):
    """`failure_rate`: probability of each way in which a call can fail."""

    rng: random.Random = field(default_factory=random.Random)
    failure_rate: float = 0.0

    def state_of(self, session: Session) -> Session.PlatformState:
        listed = {one.external_id: one.platform_state for one in self.seen.get(session.offer_id, ())}
        return listed.get(session.external_id, PlatformState.UNKNOWN)

    def send_payment(self, payment: Payment) -> str:
        self._fails(UnsureError("No answer."), NothingDoneError("Busy."), RefusedError("Not now."))
        if not self.was_done(payment):
            self._do(payment)
        self._fails(UnsureError("No answer."))
        return ""

    def was_done(self, payment: Payment) -> bool:
        if payment.kind == Happening.BONUS:
            return any(one.reason == str(payment.pk) for one in self.paid)
        return self.state_of(payment.session) == STATES[Happening(payment.kind)][1]

    def offer_status(self, offer: Offer) -> OfferStatus:
        self._fails(UnsureError("No answer."))
        return super().offer_status(offer)

    def _do(self, payment: Payment) -> None:
        session, kind = payment.session, Happening(payment.kind)
        if kind in STATES:
            before, after = STATES[kind]
            if self.state_of(session) != before:
                raise RefusedError("It is in another state.")
            self.lists(session, after)
            return
        who = session.worker.identities.get().external_id
        self.paid.append(Bonus(session.external_id, who, payment.cents, str(payment.pk)))

    def _fails(self, *ways: Exception) -> None:
        for error in ways:
            if self.rng.random() < self.failure_rate:
                raise error


FEW = (0, 1, 2, 3, 50, 63)
"""Stories 50 and 63 once approved a session after all that a bonus had paid, with the money of later work."""
MANY = int(os.environ.get("CHAINBOX_STORIES", "0"))
STEPS = 40
Row = TypeVar("Row", bound=Model)


@dataclass
class Story:
    project: Project
    rng: random.Random
    ahead: timedelta = field(default_factory=timedelta)

    def __post_init__(self) -> None:
        self.market = Market(rng=self.rng)
        self.offers = [an_offer(self.project, quota=2, places=99) for _ in range(2)]

    def comes(self) -> None:
        who, number = self.rng.choice(["W1", "W2"]), Session.objects.count()
        self.works(comes(self.rng.choice(self.offers), who, f"A{number}"))

    def works(self, session: Session | None = None) -> None:
        if session := session or self.session(state="open"):
            with suppress(PipelineError):
                if assignment := asks(session):
                    submit(assignment, *[3] * assignment.size)

    def finishes(self) -> None:
        if session := self.session(state="open"):
            with suppress(PipelineError):
                finish_session(session_id=session.id, worker_id=session.worker_id)
                self.market.lists(session, PlatformState.SUBMITTED)

    def refuses(self) -> None:
        if (assignment := self.assignment()) and (cents := unpaid_of(assignment)):
            refuse_pay(assignment_id=assignment.id, reason="one button", actor="ada", cents=cents)

    def restores(self) -> None:
        if assignment := self.assignment():
            with suppress(PipelineError):
                restore_pay(assignment_id=assignment.id, reason="they were right", actor="ada")

    def rejects_there(self) -> None:
        session = self.session()
        if session and self.market.state_of(session) == PlatformState.SUBMITTED:
            self.market.lists(session, PlatformState.REJECTED)

    def mends(self) -> None:
        for payment in Payment.objects.filter(state__in=["refused", "sent"]):
            with suppress(CannotSettleError):
                if payment.state == "refused":
                    retry_payment(payment.id)
                else:
                    decide_unknown(payment.id, done=self.market.was_done(payment))

    def waits(self) -> None:
        self.ahead += timedelta(hours=self.rng.choice([0.2, 3, 25]))

    def round(self, failure_rate: float = 0.25) -> None:
        self.market.failure_rate = failure_rate
        read_offers(self.market, self.project.pk)
        settle(self.market, self.project.pk, Round(), now=clock.now())

    def tell(self) -> None:
        steps: list[Callable[[], None]] = [self.comes, self.works, self.finishes, self.refuses, self.restores]
        steps += [self.rejects_there, self.mends, self.waits, self.round]
        for step in self.rng.choices(steps, [4, 2, 4, 1, 2, 1, 2, 2, 6], k=STEPS):
            step()
        for _ in range(8):  # the dust settles
            self.ahead += timedelta(hours=13)
            self.mends()
            self.round(failure_rate=0)

    def session(self, **those: str) -> Session | None:
        return self.pick(Session.objects.filter(**those).order_by("id"))

    def assignment(self) -> Assignment | None:
        return self.pick(Assignment.objects.filter(state="submitted").order_by("id"))

    def pick(self, rows: QuerySet[Row]) -> Row | None:
        return self.rng.choice(list(rows)) if rows else None


def open_ends(story: Story) -> dict[int, int]:
    """Return cents that are owed by worker id, and are neither stranded nor part of a refused payment."""
    stranded = status_of(story.market.name, story.project.pk).stranded
    refused = set(Payment.objects.filter(state="refused").values_list("session__worker", flat=True))
    found = {worker: account.owed - stranded.get(worker, 0) for worker, account in accounts(story.project.pk).items()}
    return {worker: cents for worker, cents in found.items() if cents and worker not in refused}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(MANY) if MANY else FEW)
@pytest.mark.both_engines
def test_in_the_end_the_books_agree_and_everybody_has_what_they_earned(number: int, monkeypatch: pytest.MonkeyPatch):
    story, real = Story(paying(2, each=20, batch=dict.fromkeys(BATCH, 1)), random.Random(number)), clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + story.ahead)
    story.tell()
    assert all(line.agrees for line in compare_ledger(story.market, story.project.pk))
    assert open_ends(story) == {}
    refused = LedgerEntry.objects.filter(kind="refused").values("worker")
    beyond = LedgerEntry.objects.filter(kind="bonus").exclude(worker__in=refused)
    assert not beyond.exists(), "each session earned its reward: nothing is paid beyond it"


class Counted(Paper):
    counted = ("offer_status", "sessions", "bonuses", "publish", "withdraw", "screen", "balance_cents", "was_done")

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()

    def __getattribute__(self, name: str) -> Any:
        if name in Counted.counted:
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
    full = {"places": each, "taken": each, "reward_cents": REWARD, "created_at": then, "expires_at": then}
    made = Offer.objects.bulk_create(
        Offer(key=f"{number:032d}", external_id=f"OLDHIT{number}", **ended, **full, **place) for number in range(offers)
    )
    left, settled = {"state": "left"}, {"state": "finished", "platform_state": "approved"}
    sessions = Session.objects.bulk_create(
        Session(offer=offer, worker=who, external_id=f"OLD{place}", opened_at=then, ends_at=then, **state)
        for place, (offer, state, who) in enumerate(
            zip(made * each, [left] * offers + [settled] * offers * each, people * offers * each, strict=False)
        )
    )
    paid = [one for one in sessions if one.platform_state]
    done = {"kind": "approve", "state": "done", "cents": REWARD, "created_at": then}
    Payment.objects.bulk_create(Payment(session=one, **done) for one in paid)
    booked = {"project_id": project.pk, "cents": REWARD, "reason": "x", "actor": "mturk", "created_at": then}
    LedgerEntry.objects.bulk_create(
        LedgerEntry(kind=kind, worker_id=one.worker_id, reference=f"mturk/reward-{one.pk}", **booked)
        for kind, one in product(("bonus", "paid"), paid)
    )


def cost_of_a_round(platform: Counted, recruitment: Any) -> tuple[int, Counter[str]]:
    platform.calls.clear()
    with CaptureQueriesContext(connection) as statements:
        assert not sync(platform, recruitment).failures
    return len(statements), Counter(platform.calls)


@pytest.mark.parametrize("active", [True, False])
def test_calls_and_statements_of_a_round_do_not_grow_with_what_is_over(*, active: bool) -> None:
    project, platform = paying(3, each=20), Counted()
    terms = RecruitmentTerms(most_places=2, entry_places=0)
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
    recruitment = begin_recruiting(platform, project.pk, [ASK], RecruitmentTerms(entry_places=0), actor="ada")
    offer = an_offer(project, places=100)
    costs = []
    for number in range(2):
        for one in range(10 * number, 10 * number + 10):
            platform.lists(comes(offer, f"W{one}", f"A{one}"), Session.PlatformState.RETURNED)
        for _ in range(3):
            sync(platform, recruitment)
        costs.append(cost_of_a_round(platform, recruitment))
    assert costs[0] == costs[1]


class Broken(Paper):
    """A platform on which reading the offers of one project breaks."""

    broken: Project

    def offer_status(self, offer: Offer) -> OfferStatus:
        if offer.project_id == self.broken.pk:
            raise ZeroDivisionError
        return super().offer_status(offer)


@pytest.mark.both_engines
def test_a_round_that_breaks_off_keeps_no_other_project_from_being_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = Broken()
    monkeypatch.setattr("platforms.jobs.find_platform", lambda _: platform)
    platform.broken, whole = (paying(3, name=name, each=20) for name in ("first", "second"))
    for number, project in enumerate((platform.broken, whole)):
        begin_recruiting(platform, project.pk, [ASK], RecruitmentTerms(), actor="ada")
        session = comes(an_offer(project), f"W{number}", f"A{number}")
        works(session)
        hands_in(platform, session)
    with pytest.raises(ZeroDivisionError):
        sync_job()
    assert platform.sent == [("approve", "A1", REWARD)]


@pytest.mark.both_engines
def test_a_platform_that_is_off_is_not_imported(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MTURK, settings.PROLIFIC_TOKEN = "off", ""
    for package in ("mturk", "prolific"):
        monkeypatch.setitem(sys.modules, f"platforms.{package}.platform", None)
    assert [platform.name for platform in platforms_set_up()] == [INVITATIONS]


SUBMITTED = {"handed_in": st.just(True), "platform_state": st.just("submitted"), "refused": st.just(0)}
facts = st.builds(SessionFacts, reward=st.integers(1, 100), earned=st.integers(0, 200), **SUBMITTED)


@given(st.lists(facts, max_size=6), st.integers(0, 300), st.randoms(use_true_random=False))
def test_in_whatever_order_a_worker_gets_each_reward_whole_and_everything_that_is_owed(sessions, elsewhere, rng):
    """`elsewhere`: cents owed for other things, such as a bonus by hand."""
    owed = sum(one.earned for one in sessions) + elsewhere
    waiting, paid = list(sessions), 0
    while True:
        more = bonus_cents(owed, 0, waiting)
        owed, paid = owed - more, paid + more
        if not waiting:
            break
        one = waiting.pop(rng.randrange(len(waiting)))
        owed, paid = owed + one.extra - one.reward, paid + one.reward
    assert owed == 0
    assert paid == sum(max(one.earned, one.reward) for one in sessions) + elsewhere
