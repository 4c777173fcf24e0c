"""The twin as tests use it: start, faults, the clock, participants, and events."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from tests.twins.faults import Fault, How, Kind
from tests.twins.prolific import recruiting
from tests.twins.prolific.account import Account, Clock, Event, Submission, Wallet, found, new_id
from tests.twins.prolific.description import description
from tests.twins.prolific.server import PREFIX, Server


class ProlificTwin:
    """One researcher's Prolific on a free port; a context manager. `balance`: minor units."""

    def __init__(self, *, balance: int = 1_000_000, currency: str = "GBP") -> None:
        self.account = Account(Wallet(balance, currency))
        self._server = Server(self.account)
        self.faults = self._server.faults

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, failed: object = None, *_: object) -> None:
        """Stop. Raises AssertionError if an exchange was not as Prolific describes it."""
        self._server.__exit__()
        if failed is None and (described := description()):
            wrong = {why: None for one in self._server.exchanges for why in described.mismatches(one)}
            assert not wrong, "\n".join(wrong)

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
        return [(one.method, one.path) for one in self._server.exchanges]

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
        self.faults.append(Fault(f"{method} {path_pattern}", how, kind, times, retry_after))

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
        """The events so far, oldest first; a test delivers what it wants of them."""
        with self.acting() as account:
            return list(account.hooks.events)


@dataclass(frozen=True, slots=True)
class Participant:
    """Someone who takes part, without a browser; with one, open `page`."""

    twin: ProlificTwin
    id: str

    @property
    def page(self) -> str:
        """Lists the studies that are open to this participant."""
        return f"{self.twin.site}/participant/{self.id}/studies/"

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
