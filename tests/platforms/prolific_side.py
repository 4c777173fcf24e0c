"""The twin of Prolific in a world."""

from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any

from platforms.models import Offer, Session
from platforms.prolific.wire_format import code_of
from tests.twins.faults import How, Kind
from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.account import APPROVED, found
from tests.twins.prolific.recruiting import why_not

Call = tuple[str, str]
CALLS: tuple[Call, ...] = (
    ("GET", "/users/me/"),
    ("GET", "/workspaces/*/balance/"),
    ("GET", "/studies/"),
    ("POST", "/studies/"),
    ("POST", "/studies/*/transition/"),
    ("GET", "/studies/*/"),
    ("GET", "/studies/*/submissions/"),
    ("POST", "/participant-groups/"),
    ("GET", "/participant-groups/"),
    ("POST", "/participant-groups/*/participants/"),
    ("DELETE", "/participant-groups/*/participants/"),
    ("GET", "/submissions/*/"),
    ("POST", "/submissions/*/transition/"),
    ("POST", "/submissions/bonus-payments/"),
    ("POST", "/bulk-bonus-payments/*/pay/"),
)
"""Every kind of call that the adapter makes in the story, some only after another call failed."""
ONLY_AFTER_FAULTS = {("GET", "/studies/")}


@dataclass
class ProlificSide:
    twin: ProlificTwin
    name: str = "prolific"
    currency: str = "GBP"
    kinds_of_calls: tuple[Any, ...] = CALLS
    money_calls: tuple[Any, ...] = (CALLS[3], CALLS[4], *CALLS[12:])

    def used(self) -> set[Call]:
        return {_pattern(*call) for call in self.twin.calls} | ONLY_AFTER_FAULTS

    def fail(self, call: Any, how: How, kind: Kind, times: int = 1) -> None:
        self.twin.fail(*call, how=how, kind=kind, times=times, retry_after=0)

    def faults_left(self) -> int:
        return sum(fault.left for fault in self.twin.faults if tuple(fault.call.split()) not in ONLY_AFTER_FAULTS)

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
            rewards = sum(one.study.reward for one in account.submissions.values() if one.status == APPROVED)
            return rewards + sum(sum(one.bonuses) for one in account.submissions.values())


def _pattern(method: str, path: str) -> Call:
    """Return the pattern with the fewest wild cards, because `/studies/*/` also fits `/studies/*/submissions/`."""
    bare = path.partition("?")[0].removeprefix("/api/v1")
    fits = [
        one for one in CALLS if one[0] == method and fnmatchcase(bare, one[1]) and one[1].count("/") == bare.count("/")
    ]
    return min(fits, key=lambda one: one[1].count("*")) if fits else (method, bare)
