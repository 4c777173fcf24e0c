"""The faults of a host: it dies, a server is out of its reach, its clock is an hour ahead."""

import random
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from studies.faults.stack import FAKETIME
from studies.hosts.network import SERVERS
from studies.hosts.stack import Hosts

AHEAD = "+3600"
WORDS = {"database": "PostgreSQL", "redis": "Redis", "bucket": "the bucket"}
WHO: dict[str, Callable[[Hosts, random.Random], str]] = {
    "web host": lambda stack, rng: rng.choice(stack.web),
    "host for jobs": lambda stack, rng: rng.choice([job for job in stack.jobs if job != stack.holder()] or stack.jobs),
    "host of the clock": lambda stack, rng: stack.holder() or rng.choice(stack.jobs),
}
"""The host that a fault happens to."""


@dataclass(frozen=True)
class HostFault:
    """Something that happens to one host, for as long as the block of `lasts` runs."""

    kind: str
    name: str
    who: Callable[[Hosts, random.Random], str]
    lasts: Callable[[Hosts, str], AbstractContextManager[None]]
    hands_over: bool
    """Whether another host must be the clock meanwhile."""


def all_faults() -> list[HostFault]:
    """Return every fault, for each kind of host that it can happen to."""
    return [
        HostFault(kind, f"{who}: {said}", choose, lasts, hands_over)
        for kind, said, lasts, hands_over in _kinds()
        for who, choose in WHO.items()
        if (kind, who) != ("bucket", "host of the clock")  # the clock needs no bucket
    ]


def _kinds() -> Iterator[tuple[str, str, Callable[[Hosts, str], AbstractContextManager[None]], bool]]:
    yield "killed", "killed", killed, True
    for server in SERVERS:
        yield server, f"cut off from {WORDS[server]}", partial(cut_off, server), server != "bucket"
    if Path(FAKETIME).exists():
        yield "clock", "its clock an hour ahead", ahead, False


@contextmanager
def killed(stack: Hosts, host: str) -> Iterator[None]:
    """Let the host die as without power: nobody hears from it that its connections end."""
    server = stack.servers[host]
    stack.network.plug(host, out=True)
    server.held = True
    server.send(signal.SIGKILL)
    try:
        yield
    finally:
        stack.network.plug(host)
        server.held = False


@contextmanager
def cut_off(server: str, stack: Hosts, host: str) -> Iterator[None]:
    stack.network.cut(host, server)
    try:
        yield
    finally:
        stack.network.mend(host, server)


@contextmanager
def ahead(stack: Hosts, host: str) -> Iterator[None]:
    stack.clock(host).write_text(AHEAD)
    try:
        yield
    finally:
        stack.clock(host).write_text("+0")
