"""The twins of both platforms in a world."""

from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlencode

from platforms.models import Offer, Session
from platforms.mturk.hits import hit_address
from platforms.prolific.wire_format import code_of
from tests.twins.faults import How, Kind
from tests.twins.mturk import MTurkTwin
from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.account import found
from tests.twins.prolific.recruiting import why_not

TURK_CALLS = (
    "GetAccountBalance", "CreateQualificationType", "CreateHITType", "CreateHITWithHITType", "ListHITs", "GetHIT",
    "ListAssignmentsForHIT", "ListBonusPayments", "AssociateQualificationWithWorker", "UpdateExpirationForHIT",
    "GetAssignment", "ApproveAssignment", "RejectAssignment", "SendBonus",
)  # fmt: skip
"""Every kind of call that the adapter makes in the story, some only after another call failed."""
TURK_ONLY_AFTER_FAULTS = ("ListHITs", "GetAssignment")


@dataclass
class MTurkSide:
    twin: MTurkTwin
    name: str = "mturk"
    currency: str = "USD"
    kinds_of_calls: tuple[Any, ...] = TURK_CALLS
    money_calls: tuple[Any, ...] = ("CreateHITWithHITType", "ApproveAssignment", "RejectAssignment", "SendBonus")

    def used(self) -> set[str]:
        return {call.operation for call in self.twin.calls} | set(TURK_ONLY_AFTER_FAULTS)

    def fail(self, call: Any, how: How, kind: Kind, times: int = 1) -> None:
        self.twin.fail(call, how, kind, times)

    def faults_left(self) -> int:
        with self.twin.acting():
            return sum(fault.left for fault in self.twin.faults if fault.call not in TURK_ONLY_AFTER_FAULTS)

    def take(self, offer: Offer, who: str) -> str:
        self.twin.worker(who, approved=600)
        taken = self.twin.accept(offer.external_id, who)
        named = {"assignmentId": taken.id, "hitId": taken.hit.id, "workerId": who, "turkSubmitTo": self.twin.submit_to}
        return f"{hit_address(offer)}?{urlencode(named)}"

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


Call = tuple[str, str]
PROLIFIC_MONEY_CALLS: tuple[Call, ...] = (
    ("POST", "/studies/"), ("POST", "/studies/*/transition/"), ("POST", "/submissions/*/transition/"),
    ("POST", "/submissions/bonus-payments/"), ("POST", "/bulk-bonus-payments/*/pay/"),
)  # fmt: skip
PROLIFIC_CALLS: tuple[Call, ...] = (
    ("GET", "/workspaces/*/balance/"), ("POST", "/study-cost-calculator/"), ("GET", "/studies/"),
    ("GET", "/studies/*/"), ("GET", "/studies/*/submissions/"), ("GET", "/studies/*/submissions/counts/"),
    ("GET", "/submissions/*/"), ("GET", "/participant-groups/"),
    ("POST", "/participant-groups/"), ("POST", "/participant-groups/*/participants/"),
    ("DELETE", "/participant-groups/*/participants/"), ("GET", "/studies/*/predicted-recruitment-time/"),
    *PROLIFIC_MONEY_CALLS,
)  # fmt: skip
"""Every kind of call that the adapter makes in the story, some only after another call failed."""
PROLIFIC_ONLY_AFTER_FAULTS = {("GET", "/studies/")}


@dataclass
class ProlificSide:
    twin: ProlificTwin
    name: str = "prolific"
    currency: str = "GBP"
    kinds_of_calls: tuple[Any, ...] = PROLIFIC_CALLS
    money_calls: tuple[Any, ...] = PROLIFIC_MONEY_CALLS

    def used(self) -> set[Call]:
        return {_pattern(*call) for call in self.twin.calls} | PROLIFIC_ONLY_AFTER_FAULTS

    def fail(self, call: Any, how: How, kind: Kind, times: int = 1) -> None:
        self.twin.fail(*call, how=how, kind=kind, times=times, retry_after=0)

    def faults_left(self) -> int:
        skipped = PROLIFIC_ONLY_AFTER_FAULTS
        return sum(fault.left for fault in self.twin.faults if tuple(fault.call.split()) not in skipped)

    def take(self, offer: Offer, who: str) -> str:
        return self.twin.participant(who).start(offer.external_id)[1]

    def hand_in(self, session: Session, who: str) -> None:
        self.twin.participant(who).complete(code_of(session.offer))

    def give_back(self, session: Session, who: str) -> None:
        with self.twin.acting() as account:
            submission = found(account.submissions, session.external_id, "submission")
        self.twin.participant(who).give_back(submission)

    def finds(self, who: str) -> set[str]:
        with self.twin.acting() as account:
            return {study.id for study in account.studies.values() if not why_not(account, study, who)}

    def move(self, duration: timedelta) -> None:
        self.twin.clock.forward(minutes=duration.total_seconds() / 60)

    def made(self) -> int:
        """Drafts count, too: there must be none that is left over."""
        with self.twin.acting() as account:
            return len(account.studies)

    def paid(self) -> int:
        with self.twin.acting() as account:
            return sum(one.reward_paid + sum(one.bonuses) for one in account.submissions.values())


def _pattern(method: str, path: str) -> Call:
    """Return the pattern with the fewest wild cards, because `/studies/*/` also fits `/studies/*/submissions/`."""
    bare = path.partition("?")[0].removeprefix("/api/v1")
    same = [(verb, known) for verb, known in PROLIFIC_CALLS if verb == method and known.count("/") == bare.count("/")]
    fits = [one for one in same if fnmatchcase(bare, one[1])]
    return min(fits, key=lambda one: one[1].count("*")) if fits else (method, bare)
