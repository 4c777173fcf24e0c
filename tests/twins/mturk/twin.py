"""The twin: an account, its server, and what a test may do to both."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from email.message import Message
from typing import Any, TypeVar

import boto3
from botocore.config import Config

from tests.twins.mturk import model, worker_side
from tests.twins.mturk.account import Account
from tests.twins.mturk.api import OPERATIONS, Call, Reply, answer
from tests.twins.mturk.errors import TurkError
from tests.twins.mturk.events import Deliver, Queue
from tests.twins.mturk.faults import Fault, Faults, How, Kind
from tests.twins.mturk.lifecycle import settle
from tests.twins.mturk.pages import SANDBOX
from tests.twins.mturk.records import HIT, Assignment, Mail, Worker
from tests.twins.mturk.server import Server

Found = TypeVar("Found")
SESSION = boto3.Session()
"""One for all clients: it has read the service's model once."""


class MTurkTwin:
    """Mechanical Turk on this machine, for one requester.

    `balance` is prepaid, in dollars. `deliver` gets the JSON of each notification. With `reuse_assignment_ids`
    a returned assignment's id comes back with the next worker, as it may on the real service.
    """

    def __init__(
        self, balance: str = "10000.00", deliver: Deliver | None = None, *, reuse_assignment_ids: bool = False
    ) -> None:
        self._account = Account(Decimal(balance), reuse_assignment_ids=reuse_assignment_ids)
        self._deliver = deliver or Queue().put
        self._faults = Faults()
        self._server = Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="mturk twin")
        self._clients: list[Any] = []
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.submit_to = self.url
        self.sandbox = SANDBOX
        self.calls: list[Call] = []
        self.bugs: list[str] = []

    def __enter__(self) -> "MTurkTwin":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        for client in self._clients:
            client.close()
        assert not self.bugs, "\n".join(self.bugs)

    def client(self, **config: Any) -> Any:
        """A real boto3 client for this twin; `config` is botocore's, as in read_timeout=1."""
        keys = {"aws_access_key_id": "twin", "aws_secret_access_key": "twin", "region_name": "us-east-1"}
        client = SESSION.client("mturk", endpoint_url=self.url, config=Config(**config), **keys)
        self._clients.append(client)
        return client

    def call(self, headers: Message, body: bytes) -> Reply:
        """Answers one request to the API."""
        with self._changing() as account:
            call, reply = answer(account, self._faults, headers, body)
            self.calls.append(call)
            # Inside the lock: what is shown may not change before it is written down.
            return Reply(reply.status, json.dumps(reply.body, default=model.to_wire) if reply.status else reply.body)

    def fail(self, operation: str, how: How = "before", kind: Kind = "500", times: int = 1) -> None:
        """Lets the next calls of this operation ("*": of any) fail. Raises ValueError for one that the twin has not."""
        if operation != "*" and operation not in OPERATIONS:
            raise ValueError(f"the twin has no {operation}")
        self._faults.add(operation, how, kind, times)

    @property
    def now(self) -> datetime:
        return self._account.now

    @property
    def mails(self) -> list[Mail]:
        return self._account.mails

    def move(self, **duration: float) -> None:
        """Moves the clock on, as in move(hours=25); what is due meanwhile happens at its own time."""
        with self._changing() as account:
            account.now += timedelta(**duration)
            settle(account)

    def worker(self, id: str, **values: Any) -> Worker:
        """A worker of this id, with these values of Worker, as in approved=500."""
        with self._changing() as account:
            worker = account.worker(id)
            for name, value in values.items():
                setattr(worker, name, value)
            return worker

    def discover(self, worker: str) -> list[HIT]:
        """The HITs that a worker finds."""
        with self._changing() as account:
            return worker_side.discover(account, account.worker(worker))

    def preview(self, hit: str, worker: str) -> HIT:
        """A HIT that the worker looks at. Raises Refused."""
        return self._on_hit(worker_side.preview, hit, worker)

    def accept(self, hit: str, worker: str) -> Assignment:
        """The worker accepts the HIT. Raises Refused."""
        return self._on_hit(worker_side.accept, hit, worker)

    def held(self, assignment: str, worker: str) -> Assignment:
        """The assignment that this worker works on. Raises Refused."""
        with self._changing() as account:
            found = worker_side.held(account, assignment)
            if found.worker.id != worker:
                raise worker_side.Refused("This assignment is somebody else's.")
            return found

    def give_back(self, assignment: str) -> None:
        """The worker returns the assignment. Raises Refused."""
        with self._changing() as account:
            worker_side.give_back(account, assignment)

    def submit(self, assignment: str, fields: Iterable[tuple[str, str]]) -> Assignment:
        """The worker's form arrives. Raises Refused."""
        with self._changing() as account:
            return worker_side.submit(account, assignment, list(fields))

    @property
    def faults(self) -> list[Fault]:
        """Those that were asked for, used up or not."""
        return list(self._faults.coming)

    @contextmanager
    def acting(self) -> Iterator[Account]:
        """The account, while no call takes effect."""
        with self._changing() as account:
            yield account

    def _on_hit(self, act: Callable[[Account, Worker, HIT], Found], hit: str, worker: str) -> Found:
        with self._changing() as account:
            try:
                return act(account, account.worker(worker), account.hit(hit))
            except TurkError as error:
                raise worker_side.Refused(error.message) from error

    @contextmanager
    def _changing(self) -> Iterator[Account]:
        """The account, locked; afterwards its notifications go out, unlocked."""
        with self._account.lock:
            yield self._account
            sent, self._account.outbox = self._account.outbox, []
        for body in sent:
            self._deliver(body)
