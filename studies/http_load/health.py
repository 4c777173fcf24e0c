"""Times of /healthz under load: many who ask for questions at once, slow bodies, and wide searches."""

import http.client
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from studies.http_load.http_workers import Connection
from studies.http_load.measure import admit

ASKING, SLOW, SEARCHING = 200, 20, 8
"""Connections of each kind of load."""
PROBES, GAP = 400, 0.02
P99_MS, WORST_MS = 50.0, 100.0
"""The goals: of each run's 99th percentile, and of the median of the runs' worst answers."""
PROBER = Path(__file__).with_name("prober.py")


class Answered(NamedTuple):
    """The milliseconds of the answers of one run."""

    median: float
    p99: float
    worst: float

    def __str__(self) -> str:
        return f"/healthz under load: median {self.median:.1f} ms, 99 % {self.p99:.1f}, worst {self.worst:.1f}"


def measure_health(port: int, project: str) -> Answered:
    """Load the service at the port, and ask for its health PROBES times meanwhile."""
    with _load(port, project):
        command = [sys.executable, str(PROBER), str(port), str(PROBES), str(GAP)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    seconds = json.loads(said)
    return Answered(1000 * median(seconds), 1000 * quantiles(seconds, n=100)[98], 1000 * max(seconds))


def verdict(runs: list[Answered]) -> str:
    """Compare the runs with the goals."""
    p99, worst = max(run.p99 for run in runs), median(run.worst for run in runs)
    met = "met" if p99 < P99_MS and worst < WORST_MS else "MISSED"
    return (
        f"/healthz: 99 of 100 within {p99:.1f} ms in every run, median of the worst {worst:.1f} ms; goals {P99_MS:g} "
        f"and {WORST_MS:g}: {met}"
    )


@contextmanager
def _load(port: int, project: str) -> Iterator[None]:
    """Ask for questions, send bodies slowly and search the gallery until the block ends."""
    over = threading.Event()
    cookie = _cookie()
    loads: list[Callable[[], None]] = [partial(_ask, port, project, one, over) for one in admit(project, ASKING)]
    loads += [partial(_send_slowly, port, over)] * SLOW
    loads += [partial(_search, port, project, cookie, over)] * SEARCHING
    threads = [threading.Thread(target=load, daemon=True) for load in loads]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _ask(port: int, project: str, bearer: str, over: threading.Event) -> None:
    with Connection(port, bearer) as link:
        while not over.is_set():
            for task in PROTOCOL_TASKS:
                with suppress(RuntimeError):  # refused: another one of the load has what is open
                    link.post(f"projects/{project}/assignments/", {"task": task.value})


def _send_slowly(port: int, over: threading.Event) -> None:
    head = b"POST /api/v1/requester/projects/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"
    while not over.is_set():
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(head)
            while not over.wait(0.05):
                link.sendall(b"{")


def _search(port: int, project: str, cookie: str, over: threading.Event) -> None:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while not over.is_set():
        try:
            link.request("GET", f"/projects/{project}/?words=e&page=3", headers={"Cookie": cookie})
            answer = link.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            link.close()
            continue
        if answer.status != 200:
            raise RuntimeError(f"The search was answered {answer.status}.")
    link.close()


def _cookie() -> str:
    """Return the cookie of an administrator who is signed in."""
    client = Client()
    user, _ = get_user_model().objects.get_or_create(username="health", is_staff=True, is_superuser=True)
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"
