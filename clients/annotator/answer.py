"""Answers a project's open questions: task beside task, the questions of an assignment side by side."""

import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from clients.annotator.asker import Asker
from clients.annotator.errors import (
    AnnotatorError,
    BudgetSpent,
    CallStopped,
    NoAnswer,
    NoPicture,
    ServiceError,
    UnreadableReply,
)
from clients.annotator.service import Service
from clients.annotator.tally import SkipTally

LOOK_SECONDS = 1.0
"""The pause before a task with nothing open is looked at again."""
UNSURE, NO_SCORE = "not sure enough", "no probabilities"
ENDED = (404, 409)
"""Statuses of an assignment that ended elsewhere."""
Entry = dict[str, Any]
Asked = Future[Entry | UnreadableReply | None]
Begun = dict[str, list[Asked]]
"""Assignments whose questions are being answered, by token."""


class Answering:
    """One run. After an error or `stop`, no call is begun; what was answered is submitted, and the rest given back.

    Of a question that was answered and could not be submitted, the reply is kept: it is not paid again.
    """

    def __init__(
        self,
        service: Service,
        asker: Asker,
        tally: SkipTally,
        *,
        folder: Path,
        at_once: int,
        stop: threading.Event,
        patience: float,
        skip_below: float = 0.0,
    ) -> None:
        """`at_once`: calls to the model. `patience`: seconds without open questions after which the run ends.

        `stop`: set at the end of the run, also by an error; the model and the service wait on it between tries.
        `skip_below`: answers with a lower score, from 0 to 1, or without one are skipped; 0: none. `folder`: gets
        `answers.jsonl`.
        """
        self._service, self._asker, self._tally = service, asker, tally
        self._log, self._patience, self._skip_below = folder / "answers.jsonl", patience, skip_below
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="question")
        self._stop, self._lock = stop, threading.Lock()
        self._busy, self._last_work = 0, time.monotonic()
        self._begun: list[Asked] = []
        self._error: Exception | None = None
        self._refusals: dict[str, ServiceError] = {}

    def run(self, tasks: Sequence[str]) -> None:
        """Answer until nothing has been open for the time of patience. Raises AnnotatorError, and OSError."""
        with self._pool, ThreadPoolExecutor(len(tasks), thread_name_prefix="task") as pool:
            try:
                for future in [pool.submit(self._work_on, task) for task in tasks]:
                    future.result()
            except BaseException:
                self.stop()
                raise
        if self._error:
            raise self._error
        if len(self._refusals) == len(tasks):
            raise self._refusals[tasks[0]]

    def stop(self) -> None:
        """Begin no further question."""
        self._stop.set()

    def _work_on(self, task: str) -> None:
        on_loan: Begun = {}
        try:
            while not self._stop.is_set():
                assignment, message = self._service.ask(task)
                if assignment:
                    self._answer(task, assignment, on_loan)
                elif self._nothing_else():
                    return self._tally.end(task, message)
                else:
                    self._stop.wait(LOOK_SECONDS)
        except Exception as error:
            _cancel(on_loan)
            self._end(task, error)
        finally:
            self._leave(task, on_loan)

    def _answer(self, task: str, assignment: dict[str, Any], on_loan: Begun) -> None:
        """Answer one assignment, and submit what there is of it. The next one is begun meanwhile, and then held."""
        with self._lock:
            self._busy += 1
        try:
            token = assignment["token"]
            _cancel({ended: on_loan.pop(ended) for ended in on_loan.keys() - {token}})
            if token not in on_loan:
                on_loan[token] = self._begin(task, assignment)
            self._begin_next(task, token, on_loan)
            self._wait(on_loan[token], assignment)
            while any(_is_open(future) for future in on_loan[token]) and (others := self._unfinished()):
                self._wait(others, assignment)
            self._submit(task, token, on_loan)
        finally:
            with self._lock:
                self._busy -= 1
                self._last_work = time.monotonic()

    def _begin(self, task: str, assignment: dict[str, Any]) -> list[Asked]:
        begun = [self._pool.submit(self._entry, task, question) for question in assignment["questions"]]
        with self._lock:
            self._begun += begun
        return begun

    def _unfinished(self) -> list[Asked]:
        """Return the questions of all tasks that are still asked."""
        with self._lock:
            self._begun = [future for future in self._begun if not future.done()]
            return [*self._begun]

    def _begin_next(self, task: str, token: str, on_loan: Begun) -> None:
        """Begin the assignment after this one, so that the model never waits for the last question of a batch."""
        try:
            assignment, _ = self._service.ask(task, ahead_of=token)
        except (ServiceError, CallStopped):
            return  # the next call meets it again, after this assignment was submitted
        if assignment:
            on_loan[assignment["token"]] = self._begin(task, assignment)

    def _wait(self, futures: list[Asked], assignment: dict[str, Any]) -> None:
        """Wait for the answers, and keep the lease meanwhile."""
        left, pending = float(assignment["seconds_left"]), set(futures)
        while pending:
            _, pending = wait(pending, timeout=max(left / 2, LOOK_SECONDS))
            if pending:
                left = self._service.keep(assignment["token"])

    def _submit(self, task: str, token: str, on_loan: Begun) -> None:
        """Submit what was answered of an assignment, or give it back; then it is no longer held."""
        entries = [None if future.cancelled() else _decided(future.result()) for future in on_loan[token]]
        receipt = self._sent(task, token, entries)
        del on_loan[token]
        if receipt:
            self._note(task, token, entries, receipt)

    def _leave(self, task: str, on_loan: Begun) -> None:
        """Submit what was answered of the assignments that are held, and give back those that cannot be submitted."""
        _cancel(on_loan)
        for token in [*on_loan]:
            try:
                self._submit(task, token, on_loan)
            except Exception as error:
                self._end(task, error)
                if token in on_loan:
                    with suppress(AnnotatorError):
                        self._service.give_back(token)

    def _sent(self, task: str, token: str, entries: list[Entry | None]) -> dict[str, Any] | None:
        """Return the receipt; None if there was nothing to submit, or the assignment ended elsewhere."""
        sent = [entry and {name: value for name, value in entry.items() if name != "score"} for entry in entries]
        try:
            if any(sent):
                return self._service.submit(token, sent)
            self._service.give_back(token)
        except ServiceError as refused:
            if refused.status not in ENDED:
                raise
            self._tally.say(f"{task.replace('_', ' ')}: {refused}")
        return None

    def _note(self, task: str, token: str, entries: list[Entry | None], receipt: dict[str, Any]) -> None:
        """Count the answers, write them down, and tell the result of a test."""
        for entry in filter(None, entries):
            self._tally.count(task, entry["comment"] if "skip" in entry else "")
        rows = [
            {"assignment": token, "place": place, "task": task, **entry} for place, entry in enumerate(entries) if entry
        ]
        with self._lock, self._log.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if test := receipt["test"]:
            passed = "passed" if test["passed"] else "not passed"
            right = f"{test['right']} of {test['asked']} right, {test['needed']} needed"
            self._tally.say(f"{task.replace('_', ' ')}: test {passed}: {right}. {' '.join(test['mistakes'])}".strip())

    def _entry(self, task: str, question: dict[str, Any]) -> Entry | UnreadableReply | None:
        """Return the entry of a question, or a reply that cannot be read; None leaves the question to others."""
        if self._stop.is_set():
            return None
        begun = time.monotonic()
        try:
            given = self._asker.ask(task, question)
            if self._skip_below and (given.score is None or given.score < self._skip_below):
                raise NoAnswer(NO_SCORE if given.score is None else UNSURE)
        except UnreadableReply as reason:
            return reason
        except NoAnswer as reason:
            return _skip(reason)
        except CallStopped:
            return None
        except Exception as error:
            self._fail(error)
            return None
        return {"answer": given.answer, "seconds": round(time.monotonic() - begun, 3), "score": given.score}

    def _end(self, task: str, error: Exception) -> None:
        """End a task that is closed to the program, or the run by any other error."""
        if isinstance(error, CallStopped):
            return  # the error that ended the run is told
        if isinstance(error, ServiceError):
            self._tally.end(task, str(error))
            if error.status == 403:
                if self._refusals.setdefault(task, error) is error:
                    self._tally.say(f"{task.replace('_', ' ')}: {error}")
                return
        self._fail(error)

    def _fail(self, error: Exception) -> None:
        """End the run with this error, or with an earlier one; a spent budget gives way to a fault."""
        with self._lock:
            if self._error is None or isinstance(self._error, BudgetSpent):
                self._error = error
        self.stop()

    def _nothing_else(self) -> bool:
        """Tell whether no task had work for so long that none will come."""
        with self._lock:
            return not self._busy and time.monotonic() - self._last_work >= self._patience


def _is_open(future: Asked) -> bool:
    """Tell whether the next replies show if this question is skipped."""
    found = future.result()
    return isinstance(found, UnreadableReply) and found.is_open


def _decided(reply: Entry | UnreadableReply | None) -> Entry | None:
    """Return the entry that is submitted. The questions whose replies ended the run are left to others."""
    if isinstance(reply, UnreadableReply):
        return None if reply.is_left else _skip(reply)
    return reply


def _skip(reason: NoAnswer) -> Entry:
    return {"skip": "picture" if isinstance(reason, NoPicture) else "unclear", "comment": str(reason)}


def _cancel(begun: Begun) -> None:
    """Call the model for no question that still waits for its turn."""
    for future in chain.from_iterable(begun.values()):
        future.cancel()
