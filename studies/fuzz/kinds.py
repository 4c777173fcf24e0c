"""Kinds of requests that chance hardly ever makes: each is sent to every address that reads what it has."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from studies.fuzz import hostile
from studies.fuzz.attack import Address, Findings, Pages, Request, all_addresses, digest, try_out
from studies.fuzz.world import World

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
    if address.name not in ("bench_preview", "bench_act", "gold_sheet", "types", "submit", "draft"):
        return
    path, authorized = pages.path_of(address), _authorized(address, world)
    rng = random.Random(address.route)
    for action in ACTIONS if address.name.startswith("bench") else ("",):
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
    step: Callable[[int], object] = lambda n: None,
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
                step(1)
    return findings


def _authorized(address: Address, world: World) -> dict[str, str]:
    """Return the headers of a worker's call; a requester's is known by the cookies."""
    workers = address.is_api and not address.route.startswith("/api/v1/requester/")
    return {"HTTP_AUTHORIZATION": world.credentials[0]} if workers else {}


def _form(path: str, fields: dict[str, str]) -> Request:
    return Request("POST", path, "requester", FORM, urlencode(fields, errors="surrogatepass").encode())
