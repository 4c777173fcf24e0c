"""A service with assignments and a model that a test prepares, for runs of answering."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from colleague.answer import Answering
from colleague.asker import Given
from colleague.tally import Tally

RECEIPT: dict[str, Any] = {"stored": 1, "test": None}
Asked = Callable[[str, Any], Given]


class Desk:
    """A service with assignments that are given out one after the other; a question is its own right answer."""

    def __init__(self, **work: Sequence[Sequence[Any]]) -> None:
        self.work = {task: [list(one) for one in given] for task, given in work.items()}
        self.submitted: dict[str, list[Any]] = {}
        self.given_back: list[str] = []
        self.kept = threading.Event()
        self.left, self.receipt = 300.0, RECEIPT

    def ask(self, task: str, *, ahead_of: str = "") -> tuple[dict[str, Any] | None, str]:
        waiting = self.work[task][bool(ahead_of) :]
        if not waiting:
            return None, "Nothing is open."
        return {"token": f"{task}-{len(waiting)}", "seconds_left": self.left, "questions": waiting[0]}, ""

    def submit(self, token: str, answers: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
        self._end(token)
        self.submitted[token] = [one and one.get("answer", one.get("skip")) for one in answers]
        return self.receipt

    def keep(self, token: str) -> float:
        self.kept.set()
        return self.left

    def give_back(self, token: str) -> None:
        self._end(token)
        self.given_back.append(token)

    def _end(self, token: str) -> None:
        task, _, left = token.partition("-")
        del self.work[task][len(self.work[task]) - int(left)]


class Mind:
    """An asker that does what the test says."""

    def __init__(self, ask: Asked) -> None:
        self.ask = ask


def right(task: str, question: Any) -> Given:
    return Given(question, 0.9)


def run(desk: Desk, folder: Path, ask: Asked = right, **options: Any) -> Tally:
    with Tally("question", "answered") as tally:
        values = {"at_once": 2, "patience": 0, "stop": threading.Event(), **options}
        made = Answering(desk, Mind(ask), tally, folder=folder, **values)  # type: ignore[arg-type]
        made.run(list(desk.work))
    return tally
