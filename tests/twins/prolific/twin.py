"""The twin as tests use it: start, faults, the clock, participants, and the delivery of events."""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from threading import Thread
from types import TracebackType
from typing import Self

import httpx

from tests.twins.prolific import recruiting
from tests.twins.prolific.account import Account, Submission, found, new_id
from tests.twins.prolific.clock import Clock, written
from tests.twins.prolific.faults import Fault, Faults, How, Kind
from tests.twins.prolific.hook_store import Event, signature
from tests.twins.prolific.money import Wallet
from tests.twins.prolific.server import PREFIX, Server

DELIVERY_SECONDS = 10


class ProlificTwin:
    """One researcher's Prolific on a free port; a context manager.

    `balance`: minor units. `pays_lists_again`: paying a bonus list twice pays twice, as the platform's documentation
    warns; otherwise the second call is refused.
    """

    def __init__(
        self,
        *,
        balance: int = 1_000_000,
        currency: str = "GBP",
        fee_percent: Decimal = Decimal("42.8"),
        vat_percent: Decimal = Decimal(20),
        pays_lists_again: bool = False,
    ) -> None:
        self.account = Account(Wallet(balance, currency, fee_percent, vat_percent), pays_lists_again)
        self._faults = Faults()
        self._server = Server(self.account, self._faults)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def site(self) -> str:
        """The address for participants' browsers."""
        return self._server.url

    @property
    def url(self) -> str:
        """The address of the API, to be taken for https://api.prolific.com/api/v1."""
        return self.site + PREFIX

    @property
    def token(self) -> str:
        return self.account.token

    @property
    def workspace(self) -> str:
        return self.account.workspace

    @property
    def clock(self) -> Clock:
        return self.account.clock

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Method and path of every call of the API so far."""
        return list(self._server.calls)

    @property
    def faults(self) -> list[Fault]:
        """Those that were asked for, used up or not."""
        return list(self._faults.waiting)

    def fail(
        self,
        method: str,
        path_pattern: str,
        *,
        how: How = "before",
        kind: Kind = "500",
        times: int = 1,
        retry_after: int = 1,
    ) -> None:
        """The next calls that fit fail so. `path_pattern`: after /api/v1, with *. `retry_after`: seconds."""
        self._faults.waiting.append(Fault(method, path_pattern, how, kind, retry_after, times))

    def participant(self, key: str = "") -> "Participant":
        """Someone who takes part; a new one without an id."""
        return Participant(self, key or new_id())

    @contextmanager
    def acting(self) -> Iterator[Account]:
        """The account, up to date, while no call takes effect."""
        with self._server.lock:
            recruiting.expire(self.account)
            yield self.account

    def pending_events(self) -> list[Event]:
        """Events that were not received, oldest first. To lose events, do not deliver them."""
        with self.acting() as account:
            return [one for one in account.hooks.events if one.status != "SUCCEEDED"]

    def deliver(
        self, events: Iterable[Event] | None = None, *, sent: float | None = None, secret: str = ""
    ) -> list[int]:
        """Post these events, or all that are pending, in their order; the statuses of the answers, 0 for none.

        Give them twice or reversed to repeat or reorder. `sent`: the timestamp in Unix seconds; `secret`: a forger's.
        """
        chosen = self.pending_events() if events is None else list(events)
        return [self._post(one, str(int(sent or time.time())), secret) for one in chosen]

    def _post(self, event: Event, timestamp: str, secret: str) -> int:
        body = json.dumps(event.payload).encode()
        headers = {
            "Content-Type": "application/json",
            "X-Event-ID": event.id,
            "X-Timestamp": str(written(event.happened)),
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": signature(secret or self.account.hooks.secret, timestamp, body),
        }
        try:
            status = httpx.post(
                event.subscription.target_url, content=body, headers=headers, timeout=DELIVERY_SECONDS
            ).status_code
        except httpx.HTTPError:
            status = 0
        event.status = "SUCCEEDED" if 200 <= status < 300 else "FAILED"
        return status


@dataclass(frozen=True, slots=True)
class Participant:
    """Someone who takes part, without a browser; with one, open `page`."""

    twin: ProlificTwin
    id: str

    @property
    def page(self) -> str:
        """Lists the studies that are open to this participant."""
        return f"{self.twin.site}/participant/{self.id}/studies/"

    def page_of(self, study: str) -> str:
        """Leads into the study."""
        return f"{self.page}{study}/"

    def reserve(self, study: str) -> Submission:
        """A place in the study. Raises Refusal that says why there is none."""
        with self.twin.acting() as account:
            return recruiting.reserve(account, found(account.studies, study, "study"), self.id)

    def start(self, study: str) -> tuple[Submission, str]:
        """Reserve and begin: the submission, and the address to which the browser would go."""
        submission = self.reserve(study)
        with self.twin.acting() as account:
            return submission, recruiting.start(account, submission)

    def complete(self, code: str = "") -> Submission:
        """Come back from the study under way with this code, or with none."""
        with self.twin.acting() as account:
            return recruiting.finish(account, self.id, code)

    def give_back(self, submission: Submission) -> None:
        """Return the place, and with it the reward."""
        with self.twin.acting() as account:
            recruiting.give_back(account, submission)
