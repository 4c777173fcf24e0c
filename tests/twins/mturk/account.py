"""One requester's account: everything the service remembers, its clock, its money, and the errors that it answers."""

import random
import string
import threading
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.twins.mturk.events import event, message
from tests.twins.mturk.records import HIT, Assignment, Bonus, HITType, Mail, Worker

PREFIX = "AWS.MechanicalTurk."
TOKEN_LIFE = timedelta(hours=24)


class TurkError(Exception):
    """A RequestError: the caller's mistake. `code` goes without its prefix "AWS.MechanicalTurk."."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = PREFIX + code
        self.message = message


def invalid(message: str) -> TurkError:
    """A parameter outside what the service takes."""
    return TurkError("ParameterValidationError", message)


def unknown(kind: str, id: str) -> TurkError:
    """Nothing of this kind ("HIT", "Assignment", "QualificationType") has this id."""
    name = "Hit" if kind == "HIT" else kind
    return TurkError(f"{kind}DoesNotExist", f"{name} {id} does not exist.")


def wrong_state(kind: str, allowed: Iterable[str]) -> TurkError:
    """The operation takes this kind of thing only in other states."""
    return TurkError(f"Invalid{kind}State", f"This operation can be called with a status of: {','.join(allowed)}")


def processed(token: str, request: str) -> TurkError:
    """The token of an earlier request, whose id the message holds."""
    message = f'The idempotency token "{token}" has already been processed. Request: {request}'
    return TurkError("DuplicateRequest", message)


class Account:
    """The state of the twin. Whoever reads or writes it holds `lock`."""

    def __init__(self, balance: Decimal) -> None:
        self.lock = threading.RLock()
        self.now = datetime.now(UTC).replace(microsecond=0)
        self.deposited = balance
        self.paid = Decimal(0)
        self.hit_types: dict[str, HITType] = {}
        self.hits: dict[str, HIT] = {}
        self.assignments: dict[str, Assignment] = {}
        self.workers: dict[str, Worker] = {}
        self.bonuses: list[Bonus] = []
        self.qualification_types: dict[str, dict[str, Any]] = {}
        self.qualifications: dict[tuple[str, str], dict[str, Any]] = {}
        self.notifications: dict[str, dict[str, Any]] = {}
        self.outbox: list[str] = []
        self.mails: list[Mail] = []
        self._tokens: dict[tuple[str, str], tuple[datetime, str]] = {}
        self._random = random.Random(20)

    def new_id(self) -> str:
        """Thirty capitals and digits, the first a 3, as the service makes them."""
        return "3" + "".join(self._random.choices(string.ascii_uppercase + string.digits, k=29))

    def hit(self, id: str) -> HIT:
        """Raises TurkError if there is none."""
        if id not in self.hits:
            raise unknown("HIT", id)
        return self.hits[id]

    def assignment(self, id: str) -> Assignment:
        """Raises TurkError if there is none."""
        if id not in self.assignments:
            raise unknown("Assignment", id)
        return self.assignments[id]

    def worker(self, id: str) -> Worker:
        """The worker; a new one where nobody has this id yet."""
        return self.workers.setdefault(id, Worker(id))

    @property
    def on_hold(self) -> Decimal:
        return sum((hit.reserved(self.now) for hit in self.hits.values()), Decimal(0))

    @property
    def available(self) -> Decimal:
        return self.deposited - self.paid - self.on_hold

    def need(self, amount: Decimal) -> None:
        """Raises TurkError if the account can't pay this."""
        if amount > self.available:
            raise TurkError("InsufficientFunds", "This Requester has insufficient funds in their account.")

    def earlier(self, purpose: str, token: str | None) -> str | None:
        """The result of this token, if it was used in the last 24 hours."""
        when, result = self._tokens.get((purpose, token or ""), (None, None))
        return result if when and self.now < when + TOKEN_LIFE else None

    def remember(self, purpose: str, token: str | None, result: str) -> None:
        if token:
            self._tokens[purpose, token] = (self.now, result)

    def tell(self, what: str, hit: HIT, at: datetime, assignment: Assignment | None = None) -> None:
        """Puts an event in the outbox if the requester asked for it."""
        wanted = self.notifications.get(hit.type.id)
        if wanted and wanted["Active"] and what in wanted["Notification"]["EventTypes"]:
            happened = event(what, at, hit.type.id, hit.id, assignment.id if assignment else "")
            self.outbox.append(message(wanted["Notification"]["Version"], self.new_id(), [happened]))


def page(account: Account, found: list[dict[str, Any]], params: dict[str, Any], name: str) -> dict[str, Any]:
    """One page of a list operation's reply. Raises TurkError for a NextToken that it did not give."""
    token = params.get("NextToken", f"{name}-0")
    kind, _, start = token.partition("-")
    if kind != name or not start.isdecimal():
        raise invalid("NextToken is not one of this list.")
    end = int(start) + params.get("MaxResults", 10)
    part = found[int(start) : end]
    more = {"NextToken": f"{name}-{end}"} if end < len(found) else {}
    return {"NumResults": len(part), name: part, **more}
