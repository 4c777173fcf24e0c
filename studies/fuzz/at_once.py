"""Send each form of the pages several times at the same moment: no answer is an error of the service.

What is written stays, so this comes last, on a database that is thrown away.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from unittest.mock import patch

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from projects import threads as aside
from studies.fuzz.attack import Findings, in_short
from tests.support.services import PATIENCE

TIMES = 3
LAST = ("delete", "sign-out", "state")
"""Parts of addresses after whose forms others have nothing to act on."""
EMPTY = {"title": "At once", "name": "at-once", "email": "ada@example.org", "new_password": "engine and loom"}
"""Values for fields that are empty on the page."""


@dataclass(slots=True)
class Form:
    """The address to which a form is sent, its fields, and its buttons that have a name."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def bodies(self) -> list[dict[str, str]]:
        """Return what each of the buttons sends."""
        return [{**self.fields, name: value} for name, value in self.buttons] or [self.fields]


class _Reader(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path, self.forms = path, list[Form]()
        self._form: Form | None = None
        self._open = ""
        """The list or text that is being read."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(has.get("action") or self.path) if has.get("method", "").lower() == "post" else None
            if self._form:
                self.forms.append(self._form)
        if self._form is None:
            return
        name, value, kind = has.get("name", ""), has.get("value", ""), has.get("type", "")
        if tag == "option" and self._open and ((value and not self._form.fields[self._open]) or "selected" in has):
            self._form.fields[self._open] = value
        elif tag == "button" and name:
            self._form.buttons.append((name, value))
        elif tag in ("select", "textarea") and name:
            self._form.fields[name], self._open = "", name
        elif tag == "input" and name and (kind not in ("radio", "checkbox") or "checked" in has):
            self._form.fields[name] = value

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag in ("select", "textarea"):
            self._open = ""


def forms_of(path: str, page: str) -> list[Form]:
    """Return the forms of the page at this path that are sent by POST."""
    reader = _Reader(path)
    reader.feed(page)
    return reader.forms


def attack_at_once(
    user: User, paths: Sequence[str], fill: dict[str, str] | None = None, step: Callable[[int], object] = lambda n: None
) -> Findings:
    """Send what each button on these pages sends, at once, as this user. `fill`: of fields that are empty there.

    Long work that the forms ask for is left undone.
    """
    findings, sent = Findings(), set[tuple[Any, ...]]()
    with patch.object(aside, "THREADS", 0):
        for path in sorted(paths, key=lambda one: (any(part in one for part in LAST), one)):
            page = _client(user).get(path)
            if page.status_code != 200 or page.streaming:
                continue
            for form in forms_of(path, page.content.decode("utf-8", "replace")):
                for body in form.bodies():
                    filled = {name: value or {**EMPTY, **(fill or {})}.get(name, "") for name, value in body.items()}
                    key = form.action, *sorted(filled.items())
                    if key not in sent:
                        sent.add(key)
                        _press(user, form.action, filled, findings)
                        step(TIMES)
    return findings


def _press(user: User, path: str, body: dict[str, str], findings: Findings) -> None:
    clients = [_client(user) for _ in range(TIMES)]
    gate = threading.Barrier(TIMES, timeout=PATIENCE)

    def press(client: Client) -> tuple[int, str]:
        gate.wait()
        try:
            answer: Any = client.post(path, body)
            return answer.status_code, in_short(answer.exc_info[1]) if answer.exc_info else ""
        except Exception as error:
            return 500, in_short(error)
        finally:
            connection.close()

    findings.addresses.add(path)
    with ThreadPoolExecutor(TIMES) as pool:
        answers = list(pool.map(press, clients))
    for status, said in answers:
        findings.statuses[status] += 1
        if status >= 500 or said:
            findings.faults.setdefault(f"{status} at {path}, pressed {TIMES} times at once: {said}", str(body)[:300])


def _client(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client
