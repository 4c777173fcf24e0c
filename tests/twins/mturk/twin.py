"""The twin: an account, its server, and what a test may do to both."""

import json
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from email.message import Message
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import boto3
from botocore.config import Config

from tests.support import web_server
from tests.twins.faults import Fault, Faults, How, Kind
from tests.twins.mturk import worker_side as side
from tests.twins.mturk.account import Account, TurkError
from tests.twins.mturk.api import OPERATIONS, Call, Reply, answer
from tests.twins.mturk.assignments import settle
from tests.twins.mturk.events import Deliver, Queue
from tests.twins.mturk.records import HIT, Assignment, Mail, Worker

Found = TypeVar("Found")
SESSION = boto3.Session()
"""One for all clients: it has read the service's model once."""


class MTurkTwin:
    """Mechanical Turk on this machine, for one requester.

    `balance` is prepaid, in dollars. `deliver` gets the JSON of each notification.
    """

    def __init__(self, balance: str = "10000.00", deliver: Deliver | None = None) -> None:
        self._account = Account(Decimal(balance))
        self._deliver = deliver or Queue().put
        self.faults = Faults()
        self._server = Server(self)
        self._clients: list[Any] = []
        self.url = self._server.url
        self.submit_to = self.url
        self.calls: list[Call] = []
        self.bugs: list[str] = []

    def __enter__(self) -> "MTurkTwin":
        self._server.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()
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
        with self.acting() as account:
            call, reply = answer(account, self.faults, headers, body)
            self.calls.append(call)
            # Inside the lock: what is shown may not change before it is written down.
            text = json.dumps(reply.body, default=datetime.timestamp) if reply.status else reply.body
            return Reply(reply.status, text)

    def fail(self, operation: str, how: How = "before", kind: Kind = "500", times: int = 1) -> None:
        """Lets the next calls of this operation ("*": of any) fail. Raises ValueError for one that the twin has not."""
        if operation != "*" and operation not in OPERATIONS:
            raise ValueError(f"the twin has no {operation}")
        self.faults.append(Fault(operation, how, kind, times))

    @property
    def now(self) -> datetime:
        return self._account.now

    @property
    def mails(self) -> list[Mail]:
        return self._account.mails

    def move(self, **duration: float) -> None:
        """Moves the clock on, as in move(hours=25); what is due meanwhile happens at its own time."""
        with self.acting() as account:
            account.now += timedelta(**duration)
            settle(account)

    def worker(self, id: str, **values: Any) -> Worker:
        """A worker of this id, with these values of Worker, as in approved=500."""
        with self.acting() as account:
            worker = account.worker(id)
            for name, value in values.items():
                setattr(worker, name, value)
            return worker

    def discover(self, worker: str) -> list[HIT]:
        """The HITs that a worker finds."""
        with self.acting() as account:
            return side.discover(account, account.worker(worker))

    def preview(self, hit: str, worker: str) -> HIT:
        """A HIT that the worker looks at. Raises Refused."""
        return self._on_hit(side.preview, hit, worker)

    def accept(self, hit: str, worker: str) -> Assignment:
        """The worker accepts the HIT. Raises Refused."""
        return self._on_hit(side.accept, hit, worker)

    def held(self, assignment: str, worker: str) -> Assignment:
        """The assignment that this worker works on. Raises Refused."""
        with self.acting() as account:
            found = side.held(account, assignment)
            if found.worker.id != worker:
                raise side.Refused("This assignment is somebody else's.")
            return found

    def give_back(self, assignment: str) -> None:
        """The worker returns the assignment. Raises Refused."""
        with self.acting() as account:
            side.give_back(account, assignment)

    def submit(self, assignment: str, fields: Iterable[tuple[str, str]]) -> Assignment:
        """The worker's form arrives. Raises Refused."""
        with self.acting() as account:
            return side.submit(account, assignment, list(fields))

    def _on_hit(self, act: Callable[[Account, Worker, HIT], Found], hit: str, worker: str) -> Found:
        with self.acting() as account:
            try:
                return act(account, account.worker(worker), account.hit(hit))
            except TurkError as error:
                raise side.Refused(error.message) from error

    @contextmanager
    def acting(self) -> Iterator[Account]:
        """The account, while no call takes effect; afterwards its notifications go out."""
        with self._account.lock:
            yield self._account
            sent, self._account.outbox = self._account.outbox, []
        for body in sent:
            self._deliver(body)


class Server(web_server.Server):
    def __init__(self, twin: MTurkTwin) -> None:
        super().__init__(Handler)
        self.twin = twin


class Handler(web_server.Handler):
    """The API at "/", the worker's site at "/worker/" and "/mturk/externalSubmit"."""

    server: Server

    def do_GET(self) -> None:
        with self.trouble():
            self.site(self.path, [])

    def do_POST(self) -> None:
        with self.trouble():
            body = self.body()
            if self.path == "/":
                self.api(body)
            else:
                self.site(self.path, parse_qsl(body.decode(), keep_blank_values=True))

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Let faults of the twin itself fail the test, not only the call."""
        try:
            yield
        except ConnectionError:
            """The client hung up first, as it may."""
        except Exception:
            self.server.twin.bugs.append(traceback.format_exc())
            self.send(500, traceback.format_exc().encode(), {"Content-Type": "text/plain"})

    def api(self, body: bytes) -> None:
        reply = self.server.twin.call(self.headers, body)
        if reply.status:
            self.send(reply.status, reply.body.encode(), {"Content-Type": "application/x-amz-json-1.1"})
        elif reply.body == "timeout":
            self.wait_for_the_caller_to_give_up()

    def site(self, path: str, form: list[tuple[str, str]]) -> None:
        """A page of the worker's site, or where to go next."""
        html = {"Content-Type": "text/html; charset=utf-8"}
        try:
            text = self.page(urlsplit(path).path.strip("/").split("/"), form)
        except side.Refused as refusal:
            return self.send(403, side.refusal_page(str(refusal)).encode(), html)
        if text.startswith("/"):
            return self.send(303, b"", {"Location": text})
        return self.send(200, text.encode(), html)

    def page(self, parts: list[str], form: list[tuple[str, str]]) -> str:
        """A page's text, or an address that begins with "/". Raises Refused."""
        twin, posted = self.server.twin, self.command == "POST"
        match parts:
            case ["mturk", "externalSubmit"] if posted and "//" not in self.requestline:
                fields = [*parse_qsl(urlsplit(self.path).query, keep_blank_values=True), *form]
                return side.submitted_page(twin.submit(dict(fields).get("assignmentId", ""), fields))
            case ["worker", worker]:
                return side.list_page(twin.worker(worker), twin.discover(worker))
            case ["worker", worker, "hits", hit]:
                return side.preview_page(twin.worker(worker), twin.preview(hit, worker))
            case ["worker", worker, "hits", hit, "accept"] if posted:
                return f"/worker/{worker}/assignments/{twin.accept(hit, worker).id}"
            case ["worker", worker, "assignments", assignment]:
                return side.work_page(twin.held(assignment, worker), twin.submit_to)
        raise side.Refused("There is no such page.")
