"""Send each form of the pages several times at the same moment: no answer is an error of the service.

What is written stays, so this comes last, on a database that is thrown away.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from campaign import threads as aside
from studies.fuzz.attack import Findings, in_short
from studies.fuzz.forms import forms_of

TIMES = 3
LAST = ("delete", "sign-out", "state")
"""Parts of addresses after whose forms others have nothing to act on."""
EMPTY = {"title": "At once", "name": "at-once", "email": "ada@example.org", "new_password": "engine and loom"}
"""Values for fields that are empty on the page."""


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
    gate = threading.Barrier(TIMES, timeout=60)
    answers: list[tuple[int, str]] = []

    def press(client: Client) -> None:
        gate.wait()
        try:
            answer: Any = client.post(path, body)
            error = in_short(answer.exc_info[1]) if answer.exc_info else ""
            answers.append((answer.status_code, error))
        except Exception as error:
            answers.append((500, in_short(error)))
        finally:
            connection.close()

    presses = [threading.Thread(target=press, args=[client]) for client in clients]
    for one in presses:
        one.start()
    for one in presses:
        one.join()
    findings.addresses.add(path)
    for status, said in answers:
        findings.statuses[status] += 1
        if status >= 500 or said:
            findings.faults.setdefault(f"{status} at {path}, pressed {TIMES} times at once: {said}", str(body)[:300])


def _client(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client
