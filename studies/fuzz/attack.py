"""Hostile requests to every address: what must not happen is an error of the service, or a refusal that writes."""

import hashlib
import json
import random
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from django.apps import apps
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client

from runtime.routes import routes
from studies.fuzz import hostile
from studies.fuzz.world import TASK, World

METHODS = ("GET", "GET", "GET", "POST", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "NONSENSE")
MAY_WRITE = ("django_session", "labelling_signin", "django_admin_log", "accounts_securityevent")
"""Tables that a refused request may change: a session that shows the refusal, and the log of events that has it."""
HEADERS = ("HTTP_REFERER", "HTTP_X_FORWARDED_FOR", "HTTP_RANGE", "HTTP_IF_NONE_MATCH", "HTTP_ACCEPT", "HTTP_USER_AGENT")


@dataclass(frozen=True, slots=True)
class Address:
    """A route such as `/projects/{name}/images/{image_id}/`, and the names of its parameters."""

    route: str
    name: str

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.route)

    @property
    def is_api(self) -> bool:
        return self.route.startswith("/api/")

    def filled(self, values: dict[str, str]) -> str:
        """Return the path with these values, which are percent-encoded already."""
        return re.sub(r"{(\w+)}", lambda found: values[found[1]], self.route)


def all_addresses() -> list[Address]:
    found = [Address(route, name) for route, name in routes()]
    return sorted({*found, Address("/metrics", ""), Address("/readyz", "")}, key=lambda one: (one.route, one.name))


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    caller: str
    content_type: str = ""
    body: bytes = b""
    headers: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.path[:300]} by {self.caller}, {self.content_type or 'no body'} {self.body[:300]!r}"


@dataclass(slots=True)
class Findings:
    """Counts by status, and the faults: what happened, and the first request that showed it."""

    statuses: Counter[int] = field(default_factory=Counter)
    addresses: set[str] = field(default_factory=set)
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        return self.statuses.total()


def attack(
    world: World,
    requests: int,
    *,
    seed: int = 1,
    addresses: Sequence[Address] = (),
    step: Callable[[int], object] = lambda n: None,
) -> Findings:
    """Send `requests` requests, to these addresses or to all, and return what was found."""
    addresses = addresses or all_addresses()
    pages = Pages(world)
    findings = Findings()
    before = digest()
    for number in range(requests):
        rng = random.Random(f"{seed} {number}")
        address = addresses[number % len(addresses)] if number < len(addresses) else rng.choice(addresses)
        request = _request(rng, address, world, pages)
        try_out(findings, world, address, request, before, where=f"request {number}")
        step(1)
    return findings


def try_out(findings: Findings, world: World, address: Address, request: Request, before: str, *, where: str) -> None:
    """Send the request to the address, note what was found, and roll all of it back."""
    with rolled_back():
        cache.clear()
        status, error, wrote = send(request, world)
        findings.statuses[status] += 1
        findings.addresses.add(address.route)
        example = f"{where}: {request}"
        if status >= 500 or error:
            findings.faults.setdefault(f"{status} at {address.route}: {error}", example)
        if status >= 400 and wrote and digest() != before:
            findings.faults.setdefault(f"{status} at {address.route}, and the database changed", example)


def send(request: Request, world: World) -> tuple[int, str, bool]:
    """Return the status, the error if there was one, and whether a row was written."""
    client = Client(raise_request_exception=False)
    for name, value in world.callers[request.caller].items():
        client.cookies[name] = value
    with writes() as wrote:
        try:
            response: Any = client.generic(
                request.method, request.path, request.body, request.content_type, **request.headers
            )
            for _ in response.streaming_content if response.streaming else ():
                pass  # what is read late may fail late
        except Exception as error:
            return 500, in_short(error), bool(wrote)
    found = response.exc_info[1] if response.exc_info else None
    return response.status_code, in_short(found) if found else "", bool(wrote)


@contextmanager
def rolled_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def writes() -> Iterator[list[str]]:
    """Collect the tables that are written meanwhile, without those that any request may write."""
    tables: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if found := re.match(r"\s*(?:INSERT(?: OR IGNORE)? INTO|UPDATE|DELETE FROM)\s+\"?(\w+)", sql, re.IGNORECASE):
            tables.extend({found[1]}.difference(MAY_WRITE))
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield tables


def digest() -> str:
    """Return a digest of every row of the service."""
    content = hashlib.sha256()
    for model in apps.get_models(include_auto_created=True):
        if model._meta.db_table not in MAY_WRITE:
            for row in model._default_manager.order_by("pk").values_list():
                content.update(repr(row).encode("utf-8", "backslashreplace"))
    return content.hexdigest()


class Pages:
    """The names of parameters and fields that the page of each address uses, read from the page on first use."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._found: dict[str, tuple[list[str], list[tuple[str, str]]]] = {}
        self._actions: dict[str, list[str]] = {}

    def names(self, address: Address) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the parameters of links, and the fields of forms with their values."""
        if address.route not in self._found:
            page = "" if address.is_api else self._read(address)
            actions = re.search(r'<select name="action".*?</select>', page, re.DOTALL)
            self._actions[address.route] = re.findall(r'<option value="(\w+)"', actions[0] if actions else "")
            parameters = sorted({*re.findall(r"[?&](?:amp;)?(\w+)=", page), "page", "q", "next"})
            fields = re.findall(
                r'<(?:input|select|textarea|button)[^>]*?name="([^"]+)"(?:[^>]*?value="([^"]*)")?', page
            )
            self._found[address.route] = parameters, fields[:60]
        return self._found[address.route]

    def actions(self, address: Address) -> list[str]:
        """Return the actions that a list of the admin offers for chosen rows."""
        self.names(address)
        return self._actions[address.route]

    def path_of(self, address: Address) -> str:
        """Return the path to a row that there is."""
        return address.filled({name: _good(address, name, self.world)[0] for name in address.parameters})

    def _read(self, address: Address) -> str:
        path = self.path_of(address)
        client = Client(raise_request_exception=False)
        client.cookies.load(self.world.callers["worker" if address.route.startswith("/work/") else "requester"])
        with rolled_back():
            response = client.get(path)
        return "" if response.streaming else response.content.decode("utf-8", "replace")


def _good(address: Address, name: str, world: World) -> list[str]:
    return world.keys_of(address.name) if name == "object_id" else world.values.get(name, ["x"])


def _request(rng: random.Random, address: Address, world: World, pages: Pages) -> Request:
    values = {
        name: quote(rng.choice(_good(address, name, world)), safe="")
        if rng.random() < 0.85
        else hostile.in_address(rng)
        for name in address.parameters
    }
    path, method = address.filled(values), rng.choice(METHODS)
    if rng.random() < 0.6:
        names = rng.choices(pages.names(address)[0], k=rng.randrange(1, 4))
        path += "?" + "&".join(f"{quote(name, safe='')}={hostile.in_address(rng)}" for name in names)
    headers: dict[str, Any] = {}
    if address.is_api:
        headers["HTTP_AUTHORIZATION"] = world.credentials[0] if rng.random() < 0.7 else rng.choice(world.credentials)
    if rng.random() < 0.15:
        value = hostile.text(rng).encode("ascii", "replace").decode()
        headers[rng.choice(HEADERS)] = re.sub(r"[\r\n\0]", "", value)
    usual = "requester" if address.route.startswith("/admin/") else "worker"
    caller = usual if rng.random() < 0.6 else rng.choice(sorted(world.callers))
    if method in ("GET", "HEAD", "OPTIONS"):
        return Request(method, path, caller, headers=headers)
    content_type, body = _body(rng, address, world, pages.names(address)[1])
    return Request(method, path, caller, content_type, body, headers)


def _body(rng: random.Random, address: Address, world: World, fields: list[tuple[str, str]]) -> tuple[str, bytes]:
    if rng.random() < 0.1:
        return rng.choice(hostile.TYPES), rng.choice((b"", b"\xff\xfe", rng.randbytes(50), b"a=%00&b=%ed%a0%80"))
    if address.is_api:
        return "application/json", hostile.body(rng, rng.choice(_api_bodies(world)))
    sent = {name: hostile.text(rng) if rng.random() < 0.3 else value for name, value in fields}
    return "application/x-www-form-urlencoded", urlencode(sent, errors="surrogatepass").encode()


def _api_bodies(world: World) -> list[Any]:
    answers = [{"answer": 1, "seconds": 2.5, "comment": "so"}, {"skip": "unclear", "comment": ""}, None]
    answers += [{"answer": {"box": [1, 2, 30, 40]}}] * (world.held.size - 3)
    return [
        {"task": TASK.value},
        {"draft": {"form": 1, "entries": [{"seconds": 1, "comment": "", "decided": True}]}},
        {"answers": answers[: world.held.size]},
        {"answers": [{"answer": 1}] * world.held.size},
        {"question": 0, "what": "mention", "number": 0, "comment": "so"},
    ]


def in_short(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "site-packages" not in frame.filename and "/studies/" not in frame.filename]
    last = (ours or frames)[-1]
    place = "/".join(last.filename.split("/")[-2:])
    return f"{type(error).__name__} in {place}:{last.lineno}: {ascii(str(error))[:150]}"


FORM, JSON = "application/x-www-form-urlencoded", "application/json"
DEEP = "[" * 100_000
KEYS = ("NaN", "1.5", "x", "-1", "9" * 40, "\0", "²")
"""Texts that are not a key of a row."""
ODD_ROWS: tuple[Any, ...] = (
    None,
    1,
    "x",
    [[0, [1], 2]],
    [[1]],
    [[]],
    [1, None],
    {"a": 1},
    [["0", "1", "2"]],
    [[0, 1, 2**70]],
    [[0, 0, -1]],
)
ACTIONS = ("rechunk", "chunk", "link", "join", "split", "draw", "move box", "retype", "send", "review", "no act")
FIELDS = ("add", "remove", "chain", "chains", "mentions", "box", "boxes", "to", "types", "words", "answers", "revision")
"""Fields of an act, or of a sheet, that hold rows."""
MUTATED = 6

Requests = Iterator[Request]


def deep_json(address: Address, world: World, pages: Pages) -> Requests:
    """Yield JSON of a hundred thousand brackets: as the body, and in turn as each field of the page's form."""
    path, authorized = pages.path_of(address), _authorized(address, world)
    for method in ("POST", "PUT", "PATCH") if address.is_api else ("POST",):
        yield Request(method, path, "requester", JSON, DEEP.encode(), authorized)
    fields = dict(pages.names(address)[1])
    for name in fields if not address.route.startswith("/admin/") else ():
        yield _form(path, {**fields, name: DEEP})


def odd_rows(address: Address, world: World, pages: Pages) -> Requests:
    """Yield JSON in which the rows of an act, a sheet or an answer are not rows."""
    if address.name not in ("preview_act", "workbench", "gold_annotation", "change_type", "submit", "draft"):
        return
    path, authorized = pages.path_of(address), _authorized(address, world)
    rng = random.Random(address.route)
    for action in ACTIONS if "/review/" in address.route else ("",):
        good = {"action": {"action": action, "remove": [], "add": [[0, 1, 2]]}, "sequence": 1, "reason": "odd"}
        bodies: list[Any] = [hostile.mutated(rng, good | {"answers": [], "chains": []}) for _ in range(MUTATED)]
        for rows in ODD_ROWS:
            odd = dict.fromkeys(FIELDS, rows)
            bodies.append({**good, **odd, "action": {**odd, "action": action}})
            bodies.append({**good, "action": {"action": action, "remove": [], "add": rows}})
        for body in bodies:
            yield Request("POST", path, "requester", JSON, json.dumps(body).encode(), authorized)


def odd_choices(address: Address, world: World, pages: Pages) -> Requests:
    """Yield actions of the admin on rows that cannot be."""
    for action in pages.actions(address) if address.route.startswith("/admin/") else ():
        for key in KEYS:
            yield _form(pages.path_of(address), {"action": action, "_selected_action": key, "index": "0"})


KINDS: dict[str, Callable[[Address, World, Pages], Requests]] = {
    "deep JSON": deep_json,
    "odd rows": odd_rows,
    "odd choices": odd_choices,
}


def attack_by_kind(
    world: World,
    kinds: Sequence[str] = tuple(KINDS),
    *,
    addresses: Sequence[Address] = (),
    most: int = 0,
) -> Findings:
    """Send the requests of these kinds to these addresses, or to all, and return what was found.

    `most`: requests of a kind to each address, drawn at random; 0: all of them.
    """
    pages, findings, before = Pages(world), Findings(), digest()
    for address in addresses or all_addresses():
        for kind in kinds:
            made = list(enumerate(KINDS[kind](address, world, pages)))
            if 0 < most < len(made):
                made = random.Random(f"{kind} {address.route}").sample(made, most)
            for number, request in made:
                try_out(findings, world, address, request, before, where=f"{kind} {number}")
    return findings


def _authorized(address: Address, world: World) -> dict[str, str]:
    """Return the headers of a worker's call; a requester's is known by the cookies."""
    workers = address.is_api and not address.route.startswith("/api/v1/requester/")
    return {"HTTP_AUTHORIZATION": world.credentials[0]} if workers else {}


def _form(path: str, fields: dict[str, str]) -> Request:
    return Request("POST", path, "requester", FORM, urlencode(fields, errors="surrogatepass").encode())
