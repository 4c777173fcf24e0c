"""Everything that the twin remembers of one researcher's account, and the two ways in which a status moves."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from tests.twins.prolific.clock import Clock
from tests.twins.prolific.hook_store import HookStore
from tests.twins.prolific.money import Wallet
from tests.twins.prolific.wire import Json, Refusal

RESERVED, ACTIVE, TIMED_OUT = "RESERVED", "ACTIVE", "TIMED-OUT"
AWAITING_REVIEW, APPROVED, REJECTED = "AWAITING REVIEW", "APPROVED", "REJECTED"
RETURNED, SCREENED_OUT = "RETURNED", "SCREENED OUT"
UNPUBLISHED, PAUSED, COMPLETED = "UNPUBLISHED", "PAUSED", "COMPLETED"

HOLDS_A_PLACE = frozenset({RESERVED, ACTIVE, AWAITING_REVIEW, APPROVED})


Row = TypeVar("Row")


def new_id() -> str:
    """As the platform's: 24 hexadecimal digits."""
    return secrets.token_hex(12)


@dataclass(slots=True)
class Study:
    """`fields`: as they were sent, with the defaults filled in."""

    id: str
    fields: Json
    created: datetime
    status: str = UNPUBLISHED
    published: datetime | None = None

    @property
    def places(self) -> int:
        return int(self.fields["total_available_places"])

    @property
    def reward(self) -> int:
        return int(self.fields["reward"])


@dataclass(slots=True)
class Submission:
    """One participant's stay in a study. `code`: what was entered at its end."""

    id: str
    study: Study
    participant: str
    reserved: datetime
    status: str = RESERVED
    started: datetime | None = None
    completed: datetime | None = None
    code: str | None = None
    return_requested: datetime | None = None
    rejected_because: str = ""
    bonuses: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """Participants, each with the moment of joining."""

    id: str
    name: str
    description: str
    members: dict[str, datetime] = field(default_factory=dict)


@dataclass(slots=True)
class BonusList:
    """Submissions and what each is to get, in minor units."""

    id: str
    study: Study
    lines: list[tuple[Submission, int]]
    times_paid: int = 0


@dataclass(slots=True)
class Account:
    """One researcher with one workspace."""

    wallet: Wallet
    pays_lists_again: bool
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    user: str = field(default_factory=new_id)
    workspace: str = field(default_factory=new_id)
    clock: Clock = field(default_factory=Clock)
    hooks: HookStore = field(default_factory=HookStore)
    studies: dict[str, Study] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    bonus_lists: dict[str, BonusList] = field(default_factory=dict)

    def of_study(self, study: Study) -> list[Submission]:
        return [one for one in self.submissions.values() if one.study is study]

    def of_participant(self, participant: str) -> list[Submission]:
        return [one for one in self.submissions.values() if one.participant == participant]

    def places_taken(self, study: Study) -> int:
        return sum(one.status in HOLDS_A_PLACE for one in self.of_study(study))

    def move(self, submission: Submission, status: str) -> None:
        """Change a submission's status and tell whoever subscribed to that."""
        submission.status = status
        more = {"participant_id": submission.participant, "status": status}
        self.hooks.happened("submission.status.change", submission.id, more, self.clock.now())

    def move_study(self, study: Study, status: str) -> None:
        """Change a study's status and tell whoever subscribed to that."""
        study.status = status
        self.hooks.happened("study.status.change", study.id, {"metadata": {}, "status": status}, self.clock.now())


def found(rows: dict[str, Row], key: str, kind: str) -> Row:
    """The row of this id. Raises Refusal: 404."""
    if key not in rows:
        raise Refusal(f"There is no {kind} {key}.", 404)
    return rows[key]


def check_known(rows: Iterable[str], ids: Iterable[str], kind: str) -> None:
    """Refuse ids that no row has."""
    unknown = sorted(set(ids) - set(rows))
    if unknown:
        raise Refusal([f"There is no {kind} {one}." for one in unknown])
