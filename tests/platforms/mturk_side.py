"""The twin of Mechanical Turk in a world."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from platforms.models import Offer, Session
from platforms.mturk.hits import address_of
from tests.twins.faults import How, Kind
from tests.twins.mturk import MTurkTwin

CALLS = (
    "GetAccountBalance",
    "CreateQualificationType",
    "CreateHITType",
    "CreateHITWithHITType",
    "ListHITs",
    "GetHIT",
    "ListAssignmentsForHIT",
    "ListBonusPayments",
    "AssociateQualificationWithWorker",
    "UpdateExpirationForHIT",
    "GetAssignment",
    "ApproveAssignment",
    "RejectAssignment",
    "SendBonus",
)
"""Every kind of call that the adapter makes in the story, some only after another call failed."""
ONLY_AFTER_FAULTS = ("ListHITs", "GetAssignment")


@dataclass
class MTurkSide:
    twin: MTurkTwin
    name: str = "mturk"
    currency: str = "USD"
    kinds_of_calls: tuple[Any, ...] = CALLS
    money_calls: tuple[Any, ...] = ("CreateHITWithHITType", "ApproveAssignment", "RejectAssignment", "SendBonus")

    def used(self) -> set[str]:
        return {call.operation for call in self.twin.calls} | set(ONLY_AFTER_FAULTS)

    def fail(self, call: Any, how: How, kind: Kind, times: int = 1) -> None:
        self.twin.fail(call, how, kind, times)

    def faults_left(self) -> int:
        with self.twin.acting():
            return sum(fault.left for fault in self.twin.faults if fault.call not in ONLY_AFTER_FAULTS)

    def take(self, offer: Offer, who: str) -> str:
        self.twin.worker(who, approved=600)
        taken = self.twin.accept(offer.external_id, who)
        named = {"assignmentId": taken.id, "hitId": taken.hit.id, "workerId": who, "turkSubmitTo": self.twin.submit_to}
        return f"{address_of(offer)}?{urlencode(named)}"

    def hand_in(self, session: Session, who: str) -> None:
        assert self.twin.held(session.external_id, who)
        self.twin.submit(session.external_id, [("assignmentId", session.external_id), ("receipt", str(session.pk))])

    def give_back(self, session: Session, who: str) -> None:
        assert self.twin.held(session.external_id, who)
        self.twin.give_back(session.external_id)

    def finds(self, who: str) -> set[str]:
        self.twin.worker(who, approved=600)
        return {hit.id for hit in self.twin.discover(who)}

    def move(self, duration: timedelta) -> None:
        self.twin.move(seconds=duration.total_seconds())

    def made(self) -> int:
        with self.twin.acting() as account:
            return len(account.hits)

    def paid(self) -> int:
        with self.twin.acting() as account:
            approved = [one for hit in account.hits.values() for one in hit.assignments if one.status == "Approved"]
            dollars = sum(one.hit.type.reward for one in approved) + sum(one.amount for one in account.bonuses)
            return int(100 * dollars)
