"""The promises of an adapter, kept by that of each platform on its twin."""

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from annotation.models import Project
from platforms.contract import Platform
from platforms.errors import NothingDoneError, RefusedError, UnsureError
from platforms.models import Counterpart, Offer, Payment, Session
from platforms.registry import find_platform
from platforms.sessions import open_session
from tests.platforms.samples import a_payment, ask_again, claimed_offer, published
from tests.platforms.story import ADA, BEN
from tests.platforms.world import Side
from tests.support.money import paying
from tests.support.table import row
from tests.twins.faults import How
from tests.twins.faults import Kind as FaultKind

pytestmark = pytest.mark.django_db

CAY = "A3CAYCAYCAYCAY"
Kind, State, PlatformState = Payment.Kind, Payment.State, Session.PlatformState
ENTRY, WORK = Offer.Kind.ENTRY, Offer.Kind.WORK
REWARD = 150
MAKING: dict[str, list[Any]] = {
    "mturk": ["CreateQualificationType", "CreateHITType", "CreateHITWithHITType"],
    "prolific": [("POST", "/participant-groups/"), ("POST", "/studies/"), ("POST", "/studies/*/transition/")],
}
WITHDRAWING: dict[str, Any] = {"mturk": "UpdateExpirationForHIT", "prolific": ("POST", "/studies/*/transition/")}
REPORTING: dict[str, list[Any]] = {
    "mturk": ["AssociateQualificationWithWorker", "DisassociateQualificationFromWorker"],
    "prolific": [(method, "/participant-groups/*/participants/") for method in ("POST", "DELETE")],
}
each_fault = pytest.mark.parametrize(
    ("how", "kind"), [("before", "cut"), ("before", "throttle"), ("before", "500"), ("after", "cut"), ("after", "500")]
)


@dataclass
class Desk:
    """A project, and the adapter that recruits for it."""

    side: Side
    project: Project

    @property
    def platform(self) -> Platform:
        return find_platform(self.side.name)

    def claimed(self, kind: Offer.Kind = ENTRY, **changes: Any) -> Offer:
        project = changes.pop("project", self.project)
        return claimed_offer(project, self.side.name, **{"kind": kind, "reward_cents": REWARD} | changes)

    def published(self, kind: Offer.Kind = ENTRY, **changes: Any) -> Offer:
        return published(self.platform, self.claimed(kind, **changes))

    def screen(self, passed: dict[str, bool | None], task: str = "box_quality") -> None:
        self.platform.screen(project_id=self.project.pk, task=task, passed=passed)

    def comes(self, offer: Offer, who: str) -> Session:
        """Let the worker take a place."""
        query = parse_qs(urlsplit(self.side.take(offer, who)).query)
        (place,) = query.get("assignmentId") or query["session"]
        return open_session(offer=offer, external_worker=who, external_id=place)

    def handed_in(self) -> Session:
        """Return a session that waits for review."""
        session = self.comes(self.published(), ADA)
        self.side.hand_in(session, ADA)
        Session.objects.update(state=Session.State.FINISHED, platform_state=PlatformState.SUBMITTED)
        session.refresh_from_db()
        return session

    def listed(self, offer: Offer) -> list[Session.PlatformState]:
        return [one.platform_state for one in self.platform.sessions(offer)]

    def tried_once(self) -> Any:
        """Expect no certainty of a failed call to Mechanical Turk; those to Prolific are repeated at once."""
        return pytest.raises(UnsureError) if self.side.name == "mturk" else nullcontext()


@pytest.fixture
def desk(side: Side) -> Desk:
    return Desk(side, paying(3, each=20, currency=side.currency))


@each_fault
def test_one_offer_is_made_whatever_fails(how: How, kind: FaultKind, desk: Desk) -> None:
    offer, tries = desk.claimed(), 0
    for call in MAKING[desk.side.name]:
        desk.side.fail(call, how, kind)
    while True:
        try:
            made = desk.platform.publish(offer)
            break
        except (UnsureError, NothingDoneError):
            tries += 1
            ask_again(offer)
    assert desk.platform.publish(ask_again(offer)) == made
    assert desk.side.made() == 1 and not desk.side.faults_left()
    assert tries <= len(MAKING[desk.side.name])


def test_each_worker_finds_what_is_for_them(desk: Desk) -> None:
    kinds = {desk.published(kind).external_id: kind for kind in (ENTRY, WORK)}

    def found() -> list[list[str]]:
        return [[kinds[one] for one in desk.side.finds(who)] for who in (ADA, BEN, CAY)]

    assert found() == [[ENTRY]] * 3
    desk.screen({ADA: True, BEN: False, CAY: None})
    assert found() == [[WORK], [], [ENTRY]]
    desk.screen({ADA: False, BEN: None})
    assert found() == [[], [ENTRY], [ENTRY]]
    for _ in range(2):
        desk.screen({ADA: True, CAY: True})
        assert found() == [[WORK], [ENTRY], [WORK]]


def test_a_result_counts_for_its_project_and_task_alone(desk: Desk) -> None:
    desk.screen({BEN: True})
    other = paying(3, name="other", each=20, currency=desk.side.currency)
    mine, *_ = (desk.published(WORK, **one) for one in ({}, {"project": other}, {"task": "box_drawing"}))
    assert desk.side.finds(BEN) == {mine.external_id}


@each_fault
def test_a_result_reported_again_after_a_failure_is_the_same(how: How, kind: FaultKind, desk: Desk) -> None:
    offers = desk.published(WORK), desk.published(ENTRY)
    for call, passed, offer in zip(REPORTING[desk.side.name], (True, None), offers, strict=True):
        desk.side.fail(call, how, kind)
        with desk.tried_once():
            desk.screen({ADA: passed})
        desk.screen({ADA: passed})
        assert desk.side.finds(ADA) == {offer.external_id} and not desk.side.faults_left()


def test_what_we_forgot_is_found_by_its_name(desk: Desk) -> None:
    def known() -> set[tuple[str, str]]:
        return set(Counterpart.objects.values_list("name", "external_id"))

    desk.published()
    before = known()
    Counterpart.objects.all().delete()
    desk.published(WORK)
    assert known() == before != set()


@each_fault
def test_a_withdrawn_offer_admits_its_workers_only(how: How, kind: FaultKind, desk: Desk) -> None:
    offer = desk.published()
    session = desk.comes(offer, ADA)
    desk.side.fail(WITHDRAWING[desk.side.name], how, kind)
    with desk.tried_once():
        desk.platform.withdraw(offer)
    for _ in range(2):
        desk.platform.withdraw(offer)
    assert desk.side.finds(BEN) == set() and not desk.platform.offer_status(offer).open
    desk.side.hand_in(session, ADA)
    assert desk.listed(offer) == [PlatformState.SUBMITTED]


@pytest.mark.both_engines
@row((Kind.APPROVE,), PlatformState.APPROVED)
@row((Kind.REJECT,), PlatformState.REJECTED)
@row((Kind.REJECT, Kind.OVERRIDE), PlatformState.APPROVED)
def test_a_decision_sent_twice_is_taken_once(
    kinds: tuple[Payment.Kind, ...], ends: Session.PlatformState, desk: Desk
) -> None:
    session = desk.handed_in()
    assert desk.listed(session.offer) == [PlatformState.SUBMITTED]
    for kind in kinds:
        payment = a_payment(session, kind, reason="Nothing in the boxes.", state=State.DONE)
        assert desk.platform.was_done(payment) is False
        for _ in range(2):
            desk.platform.send_payment(payment)
            assert desk.platform.was_done(payment) is True
    assert desk.listed(session.offer) == [ends]
    assert desk.side.paid() == (REWARD if ends == PlatformState.APPROVED else 0)


def test_bonuses_of_a_session_are_kept_apart_paid_to_the_cent_and_listed(desk: Desk) -> None:
    session, amounts = desk.handed_in(), [425, 5, 425]
    for cents in amounts:
        payment = a_payment(session, Kind.BONUS, reason="For more.", cents=cents)
        assert not desk.platform.was_done(payment)
        desk.platform.send_payment(payment)
        assert desk.platform.was_done(payment) is True
        Payment.objects.filter(pk=payment.pk).update(state=State.DONE)
    paid = [(one.external_id, one.external_worker, one.cents) for one in desk.platform.bonuses(session.offer)]
    assert paid == [(session.external_id, ADA, cents) for cents in amounts]
    assert desk.side.paid() == sum(amounts)


def test_a_payment_for_a_session_that_the_platform_does_not_know_is_refused(desk: Desk) -> None:
    session = desk.handed_in()
    session.external_id = "0" * 24
    session.save()
    for kind in (Kind.BONUS, Kind.APPROVE):
        payment = a_payment(session, kind, cents=5)
        with pytest.raises(RefusedError):
            desk.platform.send_payment(payment)
        with suppress(RefusedError):
            assert not desk.platform.was_done(payment)
