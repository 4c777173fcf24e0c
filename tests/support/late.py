"""Plugin of pytest: `--late=SEED` delays every answer, so that a page that takes keys too late is found on any machine.

In browsers that Playwright drives, each call of the API and each script is on its way for `ON_ITS_WAY` more. The live
server keeps each answer back for up to `KEPT_BACK`, drawn by the seed, the test, the address and how often it was asked
for: the same in every run.
"""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import Any

import pytest
from django.test.testcases import LiveServerThread
from playwright.sync_api import Browser, BrowserContext, Error, Route

ON_ITS_WAY = 300
"""Milliseconds."""
KEPT_BACK = 0.2
"""Seconds at most."""
DELAYED = re.compile(r"/api/|\.js(\?|$)")
ITS_OWN = re.compile(r"[0-9a-f]{8}-[-0-9a-f]{27}|\d+")
"""Parts of an address that another run has not: tokens and ids."""


class Draws:
    """The seconds for which answers are kept back."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self._lock = threading.Lock()
        self.begin("")

    def begin(self, test: str) -> None:
        self._test, self._asked = test, Counter[str]()

    def draw(self, request: str) -> float:
        with self._lock:
            self._asked[request] += 1
            return Random(f"{self.seed} {self._test} {request} {self._asked[request]}").uniform(0, KEPT_BACK)


draws = pytest.StashKey[Draws]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--late", metavar="SEED", help="delay what servers send to browsers, by times drawn from SEED")


def pytest_configure(config: pytest.Config) -> None:
    seed = config.getoption("--late")
    if seed is None:
        return
    config.stash[draws] = Draws(seed)
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    patch.setattr(Browser, "new_context", _with_late_answers(Browser.new_context))
    patch.setattr(LiveServerThread, "_create_server", _that_keeps_back(LiveServerThread, config.stash[draws]))


def _with_late_answers(new_context: Callable[..., BrowserContext]) -> Callable[..., BrowserContext]:
    def new(browser: Browser, **options: Any) -> BrowserContext:
        context = new_context(browser, **options)
        context.route(DELAYED, _delay)
        return context

    return new


def _delay(route: Route) -> None:
    try:
        route.request.frame.page.wait_for_timeout(ON_ITS_WAY)
        route.fallback()
    except Error:  # the page has gone
        pass


def _that_keeps_back(thread: type[LiveServerThread], drawn: Draws) -> Callable[..., Any]:
    create = thread._create_server  # type: ignore[attr-defined]

    def created(self: LiveServerThread, **options: Any) -> Any:
        server = create(self, **options)
        set_app = server.set_app
        server.set_app = lambda app: set_app(partial(_answer_late, app, drawn))
        return server

    return created


def _answer_late(app: Callable[..., Iterable[bytes]], drawn: Draws, environ: Any, start: Any) -> Iterable[bytes]:
    answer = app(environ, start)
    time.sleep(drawn.draw(f"{environ['REQUEST_METHOD']} {ITS_OWN.sub('', environ['PATH_INFO'])}"))
    return answer


def pytest_runtest_setup(item: pytest.Item) -> None:
    if draws in item.config.stash:
        item.config.stash[draws].begin(item.nodeid)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    drawn = terminalreporter.config.stash.get(draws, None)
    if drawn and exitstatus:
        terminalreporter.write_line(f"Answers came late. The same delays again: --late={drawn.seed}")
