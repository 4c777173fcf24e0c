"""Clients that send slowly, break off or hold connections open, against the real server processes; and their end."""

import http.client
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from waitress import create_server

from config import web_worker
from config.web_worker import Channel, WebWorker
from studies.http_load.running_service import running
from tests.support.served import ROOT, environment, is_healthy, served, status
from tests.support.services import PATIENCE, child, reserved_port, wait_until

pytestmark = pytest.mark.slow

SLOW = 50
"""Connections of the attack."""
SENT = int(web_worker.LEAST_RATE * (120 - web_worker.PATIENCE))
"""Bytes of a body after which its rest is waited for until two minutes are over."""
ANY = b"GET /any HTTP/1.1\r\nHost: x\r\n\r\n"
SIGN_IN, API = "/admin/login/", "/api/v1/projects/parks/assignments/"


class Service(NamedTuple):
    """A service, and what is received on a connection whose request stays incomplete, after so many seconds."""

    port: int
    incomplete: Future[tuple[bytes, float]]


@pytest.fixture(scope="module")
def service(empty_service: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("slow")
    with served(empty_service, folder, folder / "log") as port, ThreadPoolExecutor(1) as pool:
        yield Service(port, pool.submit(stay_incomplete, port))


def stay_incomplete(port: int) -> tuple[bytes, float]:
    begun = time.monotonic()
    with connect(port, head(SIGN_IN, 1000) + b"{") as link:
        link.settimeout(PATIENCE)
        return link.recv(1000), time.monotonic() - begun


@pytest.fixture
def port(service: Service) -> int:
    return service.port


def connect(port: int, sent: bytes = b"") -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    link.sendall(sent)
    return link


def head(path: str, length: int, more: str = "") -> bytes:
    text = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    text += f"Cookie: csrftoken={'a' * 32}\r\n"  # with a cookie, the form's own token is looked for in the body
    return f"{text}Content-Length: {length}\r\n{more}\r\n".encode()


def is_open(link: socket.socket) -> bool:
    """Tell whether the service has neither responded on this connection nor closed it."""
    return not select.select([link], [], [], 0)[0]


def attack(port: int) -> None:
    """Hold SLOW connections open that have sent headers and not all of a body; the service must not feel it.

    With so much of it the service waits for the rest for two minutes, in which it can answer on any machine.
    """
    with ExitStack() as stack:
        sent = [head((SIGN_IN, API)[number % 2], SENT + 1) + b"{" * SENT for number in range(SLOW)]
        links = [stack.enter_context(connect(port, one)) for one in sent]
        assert is_healthy(port)
        assert status(f"http://127.0.0.1:{port}/admin/login/") == 200
        # Otherwise the others were served only after these had been given up.
        assert all(map(is_open, links))


def test_fifty_visitors_who_do_not_send_all_of_a_form_do_not_stop_the_service(port: int) -> None:
    attack(port)


@pytest.mark.django_db(transaction=True)
@pytest.mark.services
def test_fifty_slow_visitors_do_not_stop_the_server_processes(real_services: None, tmp_path: Path) -> None:
    with running(tmp_path, web_processes=2, job_runner=False) as stack:
        attack(stack.ports[0])


@contextmanager
def slow_app(folder: Path) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Run an application of slow responses on two threads; yields the port and the process."""
    log, arrived = folder / "log", folder / "arrived"
    arrived.mkdir()
    command = [sys.executable, "-m", "gunicorn", "tests.support.slow_app", "--no-control-socket"]
    command += ["--worker-class", "config.web_worker.WebWorker", "--threads", "2", "--bind"]
    env = {**environment(folder), "ARRIVED": str(arrived)}
    with reserved_port() as port, child([*command, f"127.0.0.1:{port}"], log, env=env, cwd=str(ROOT)) as process:
        assert wait_until(lambda: is_healthy(port)), log.read_text()
        yield port, process
        (arrived / "go").touch()
    assert "Traceback" not in log.read_text(), log.read_text()


def test_health_is_answered_while_every_thread_is_busy(tmp_path: Path) -> None:
    with slow_app(tmp_path) as (port, _), ExitStack() as stack:
        links = [stack.enter_context(connect(port, ANY)) for _ in range(6)]
        assert wait_until(lambda: len(list((tmp_path / "arrived").iterdir())) == 2)
        assert is_healthy(port)
        assert all(map(is_open, links))


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_response_on_its_way_is_finished_when_the_service_is_stopped(tmp_path: Path, by: signal.Signals) -> None:
    with slow_app(tmp_path) as (port, process), connect(port, ANY) as link:
        link.settimeout(PATIENCE)
        assert wait_until(lambda: bool(list((tmp_path / "arrived").iterdir())))
        process.send_signal(by)
        assert wait_until(lambda: "Handling signal" in (tmp_path / "log").read_text())
        (tmp_path / "arrived" / "go").touch()
        assert link.makefile("rb").read().endswith(b"ok\n")
        assert process.wait(PATIENCE) == 0
        assert status(f"http://127.0.0.1:{port}/healthz") == 0


def test_a_request_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    request = web_worker.Request(None)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0 + web_worker.PATIENCE + 60)
    assert request.is_late(web_worker.PATIENCE)
    request.body_bytes_received = 60 * web_worker.LEAST_RATE  # steady: it has kept to the least rate
    assert not request.is_late(web_worker.PATIENCE)


def test_a_large_body_that_comes_slowly_but_steadily_is_read(port: int) -> None:
    body = b'{"task": "' + b"x" * 200_000 + b'"}'
    with connect(port, head(API, len(body))) as link:
        for start in range(0, len(body), 50_000):
            link.sendall(body[start : start + 50_000])
            time.sleep(0.2)
        assert link.recv(1000).startswith(b"HTTP/1.1 401 ")


def test_a_body_beyond_the_limit_is_refused_before_it_is_read(port: int) -> None:
    with connect(port, head(API, 10**9)) as link:
        assert link.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_waits_for_permission_to_send_gets_it(port: int) -> None:
    with connect(port, head(API, 2, "Expect: 100-continue\r\n")) as link:
        assert link.recv(1000).startswith(b"HTTP/1.1 100 ")
        link.sendall(b"{}")
        assert link.recv(1000).startswith(b"HTTP/1.1 401 ")


def test_a_body_in_chunks_is_read(port: int) -> None:
    text = f"POST {API} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
    text += "Content-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    with connect(port, text.encode()) as link:
        assert link.recv(1000).startswith(b"HTTP/1.1 401 ")


def test_a_connection_stays_open_for_the_next_request_and_head_has_no_body(port: int) -> None:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    link.request("HEAD", "/admin/login/")
    first = link.getresponse()
    assert first.status == 200 and first.read() == b"" and not first.will_close
    link.request("GET", "/admin/login/")
    assert b"<form" in link.getresponse().read()
    link.close()


def test_a_client_that_leaves_in_the_middle_harms_nobody(port: int) -> None:
    for sent in (b"", b"GET /admin/lo", head(SIGN_IN, 100) + b"abc", b"GET /admin/login/ HTTP/1.1\r\nHost: x\r\n\r\n"):
        connect(port, sent).close()
    assert is_healthy(port)


def test_the_header_of_the_proxy_says_that_the_visitor_came_over_https(empty_service: Path, tmp_path: Path) -> None:
    with served(empty_service, tmp_path, tmp_path / "log", HTTPS="on") as port:
        for scheme, expected in (("https", 200), ("http", 301)):
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            link.request("GET", "/admin/login/", headers={"X-Forwarded-Proto": scheme})
            assert link.getresponse().status == expected
            link.close()


def stopping() -> Any:
    """A worker of the web server whose loop has ended."""
    worker: Any = WebWorker.__new__(WebWorker)
    worker.map, worker.alive, worker.booted = {}, True, True
    worker.cfg, worker.notify = SimpleNamespace(graceful_timeout=1), lambda: None
    worker.servers = [create_server(lambda environ, start: [], map=worker.map, host="127.0.0.1", port=0)]
    worker.servers[0].channel_class = Channel
    return worker


def test_a_second_signal_while_the_process_ends_leaves_no_traceback() -> None:
    worker = stopping()
    worker._finish()
    worker.handle_exit(signal.SIGTERM, None)
    worker.servers[0].pull_trigger()  # as a thread does that has just finished a request
    assert not worker.alive
    worker.servers[0].trigger.close()


def test_a_connection_is_closed_when_its_request_stays_incomplete(service: Service) -> None:
    """The last test, since it has waited during the others."""
    received, seconds = service.incomplete.result()
    assert received == b"" and seconds > web_worker.PATIENCE - 1
