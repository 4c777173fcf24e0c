"""Everything that the twin remembers of one researcher's account, its clock, its money and its events."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, TypeVar

from tests.twins.prolific.wire import Json, Refusal

EVENT_TYPES = ("submission.status.change", "study.status.change")
RESERVED, ACTIVE, TIMED_OUT = "RESERVED", "ACTIVE", "TIMED-OUT"
AWAITING_REVIEW, APPROVED, REJECTED = "AWAITING REVIEW", "APPROVED", "REJECTED"
PARTLY_APPROVED = "PARTIALLY APPROVED"
RETURNED, UNPUBLISHED, COMPLETED = "RETURNED", "UNPUBLISHED", "COMPLETED"

FEE_PERCENT, VAT_PERCENT = Decimal("42.8"), Decimal(20)
"""The fee, of the reward, and the tax, of the fee."""
PAID = frozenset({APPROVED, PARTLY_APPROVED})
HOLDS_A_PLACE = frozenset({RESERVED, ACTIVE, AWAITING_REVIEW}) | PAID
Row = TypeVar("Row")


class Clock:
    """Real time, and as much more as was added."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def forward(self, *, minutes: float) -> None:
        self._ahead += timedelta(minutes=minutes)


def written(moment: datetime | None) -> str | None:
    """A moment as the API writes it."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Charge:
    """The shares of the participant, the platform and the tax office."""

    amount: int
    fees: int
    vat: int

    @property
    def total(self) -> int:
        return self.amount + self.fees + self.vat


@dataclass(slots=True)
class Wallet:
    """A prepaid balance."""

    balance: int
    currency: str
    paid: list[Charge] = field(default_factory=list)

    def charge(self, amount: int) -> Charge:
        fees = _rounded(amount * FEE_PERCENT / 100)
        return Charge(amount, fees, _rounded(fees * VAT_PERCENT / 100))

    def pay(self, amount: int) -> None:
        charge = self.charge(amount)
        self.balance -= charge.total
        self.paid.append(charge)


def minor_units(text: str) -> int:
    """`4.25` as 425. ValueError: not a positive amount of at most two decimals."""
    try:
        cents = Decimal(text.strip()) * 100
    except InvalidOperation as error:
        raise ValueError(f"{text!r} is not an amount") from error
    if not cents.is_finite() or cents <= 0 or cents != cents.to_integral_value():
        raise ValueError(f"{text!r} is not a positive amount of at most two decimals")
    return int(cents)


def _rounded(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))


@dataclass(slots=True)
class Subscription:
    """`handshake`: what confirms it. Nothing is sent before."""

    id: str
    event_type: str
    target_url: str
    workspace: str
    handshake: str
    confirmed: bool = False
    enabled: bool = True


@dataclass(slots=True)
class Event:
    """Something that happened, for one subscription."""

    id: str
    subscription: Subscription
    payload: Json
    happened: datetime


@dataclass(slots=True)
class HookStore:
    """The secret of the workspace, its subscriptions, and all events in the order in which they happened."""

    secret_id: str = ""
    secret: str = ""
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def happened(self, event_type: str, resource: str, more: Json, now: datetime) -> None:
        """Write an event down for each subscription to its type."""
        payload = {"resource_id": resource, "event_type": event_type} | more
        for one in self.subscriptions.values():
            if one.event_type == event_type and one.confirmed and one.enabled:
                self.events.append(Event(secrets.token_hex(16), one, payload, now))


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """base64(HMAC-SHA256(secret, timestamp + body)), as in X-Prolific-Request-Signature."""
    made = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256)
    return base64.b64encode(made.digest()).decode()


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
    is_test: bool = False

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
    rejected_because: str = ""
    reward_paid: int = 0
    return_asked: datetime | None = None
    messages: list[str] = field(default_factory=list)
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


@dataclass(slots=True)
class Account:
    """One researcher with one workspace."""

    wallet: Wallet
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    user: str = field(default_factory=new_id)
    workspace: str = field(default_factory=new_id)
    clock: Clock = field(default_factory=Clock)
    hooks: HookStore = field(default_factory=HookStore)
    studies: dict[str, Study] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)
    bonus_lists: dict[str, BonusList] = field(default_factory=dict)
    test_participants: dict[str, str] = field(default_factory=dict)
    """E-mail addresses by participant."""
    recommended: list[tuple[int, int]] = field(default_factory=lambda: [(800, 1200), (600, 900)])
    """The least and the good pay of an hour, newest first."""
    signing_keys: dict[str, Any] = field(default_factory=dict)
    """The private key that signs addresses, by its id."""

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
