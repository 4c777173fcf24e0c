"""Visitors of a service that fails now and then: somebody who loads a page all the time, and a person in Chromium."""

import re
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from playwright.sync_api import Error, Page, sync_playwright

from pipeline.protocol.tasks.task import Task
from studies.faults.crew import Journal

PROBE_SECONDS = 0.1
"""Seconds between two pages that are loaded."""


@dataclass
class Probe:
    """Somebody who loads a page all the time, and notes for how long there was none.

    `address`: of a page for which the service reads the database.
    """

    address: str
    failing_since: float | None = None
    longest: float = 0.0
    statuses: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        """Load the page until `over`."""
        while not self.over.is_set():
            begun = time.monotonic()
            try:
                status = str(httpx.get(self.address, timeout=10, trust_env=False).status_code)
            except httpx.TransportError as error:
                status = type(error).__name__
            if status < "500":
                self.failing_since = None
            else:
                self.statuses.add(status)
                self.failing_since = begun if self.failing_since is None else self.failing_since
                self.longest = max(self.longest, time.monotonic() - self.failing_since)
            self.over.wait(PROBE_SECONDS)

    def begin_anew(self) -> None:
        self.longest, self.statuses = 0.0, set()


def answer_in_browser(
    program: str, address: str, project: str, session: str, journal: Journal, over: threading.Event
) -> None:
    """Answer link questions in Chromium until `over`, and note what the service acknowledged."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context()
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        page = context.new_page()
        page.on("requestfinished", lambda request: _note_submission(request, journal))
        while not over.is_set():
            with suppress(Error):  # the page is being loaded, or nothing answers
                _press_on(page, f"{address}/work/{project}/{Task.COREFERENCE_LINK.value}/")
            page.wait_for_timeout(300)
        browser.close()


def _press_on(page: Page, address: str) -> None:
    """Do what a person would do on the page as it is now."""
    if page.url != address:
        page.goto(address)
    state = page.locator("#work").get_attribute("data-state", timeout=1000)
    if state == "learning":
        page.get_by_role("button", name=re.compile("(Try|Skip) the examples")).first.click(timeout=1000)
    elif state == "asking":
        page.keyboard.press("1")
    elif state == "summary":
        page.locator("[data-submit]").click(timeout=1000)
    elif state in ("sent", "empty", "error"):
        page.goto(address)


def _note_submission(request: Any, journal: Journal) -> None:
    """Note a submission of the page that the service acknowledged."""
    if not request.url.endswith("/submit/"):
        return
    with suppress(Error):
        answer = request.response()
        if answer is None or answer.status != 200:
            return
        receipt = answer.json()
        entry = {"task": Task.COREFERENCE_LINK.value, "token": request.url.split("/")[-3], "by": "person"}
        entry |= {"answers": [given["answer"] for given in request.post_data_json["answers"]]}
        with journal.lock:
            journal.submissions.append({**entry, "too_late": receipt["too_late"], "earned": receipt["earned_cents"]})
