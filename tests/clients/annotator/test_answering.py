"""A run of answering on a prepared service: what is submitted, written down and given back."""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clients.annotator.answer import Answering
from clients.annotator.asker import ScoredAnswer
from clients.annotator.errors import AnnotatorError, BudgetSpent, NoAnswer, NoPicture, ServiceError, UnreadableReply
from clients.annotator.tally import SkipTally
from tests.support.services import PATIENCE

pytestmark = pytest.mark.usefixtures("looks_at_once")
RECEIPT: dict[str, Any] = {"stored": 1, "test": None}
Asked = Callable[[str, Any], ScoredAnswer]


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


def right(task: str, question: Any) -> ScoredAnswer:
    return ScoredAnswer(question, 0.9)


def run(desk: Desk, folder: Path, ask: Asked = right, **options: Any) -> SkipTally:
    with SkipTally("question", "answered") as tally:
        values = {"at_once": 2, "patience": 0, "stop": threading.Event(), **options}
        mind: Any = SimpleNamespace(ask=ask)
        Answering(desk, mind, tally, folder=folder, **values).run(list(desk.work))  # type: ignore[arg-type]
    return tally


def test_answers_stand_at_the_places_of_their_questions(tmp_path: Path) -> None:
    first_may_go = threading.Event()

    def ask(task: str, question: Any) -> ScoredAnswer:
        if question == 0:
            assert first_may_go.wait(PATIENCE)
        first_may_go.set()
        return ScoredAnswer(question, None)

    desk = Desk(box_quality=[[0, 1, 2, 3], [4]])
    tally = run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-2": [0, 1, 2, 3], "box_quality-1": [4]}
    assert tally.lines() == ["box quality: 5 answered. Nothing is open."]


def test_tasks_are_worked_on_beside_each_other(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=PATIENCE)

    def ask(task: str, question: Any) -> ScoredAnswer:
        both.wait()
        return ScoredAnswer(question, None)

    desk = Desk(box_quality=[[1]], box_coverage=[[2]])
    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-1": [1], "box_coverage-1": [2]}


def test_a_reply_that_is_no_answer_is_a_skip_that_is_counted_with_its_reason(tmp_path: Path) -> None:
    def ask(task: str, question: Any) -> ScoredAnswer:
        if question == 1:
            raise NoPicture("a picture that is not there")
        if question == 2:
            raise NoAnswer("no JSON")
        return ScoredAnswer(question, {3: 0.4, 4: None}.get(question, 0.9))

    desk = Desk(box_quality=[[0, 1, 2, 3, 4]])
    tally = run(desk, tmp_path, ask, skip_below=0.5)
    assert desk.submitted == {"box_quality-1": [0, "picture", "unclear", "unclear", "unclear"]}
    (line,) = tally.lines()
    assert "1 answered, 4 skipped (1 " in line
    reasons = ("1 a picture that is not there", "1 no JSON", "1 not sure enough", "1 no probabilities")
    assert all(why in line for why in reasons)


@pytest.mark.parametrize("is_left", [False, True])
def test_questions_whose_replies_cannot_be_read_are_skipped_unless_such_replies_in_a_row_end_the_run(
    is_left: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread = [UnreadableReply("no JSON"), UnreadableReply("no JSON")]

    def ask(task: str, question: Any) -> ScoredAnswer:
        if question < 2:
            unread[question].is_open = True
            raise unread[question]
        assert waited.wait(PATIENCE)
        for one in unread:
            one.is_open, one.is_left = False, is_left
        if is_left:
            raise AnnotatorError("The last 5 replies of the model cannot be read.")
        return ScoredAnswer(question, None)

    desk, waited, wait = Desk(box_quality=[[0, 1], [2]]), threading.Event(), Answering._wait

    def wait_for_more(answering: Answering, asked: Any, assignment: Any) -> None:
        if assignment["questions"] == [0, 1] and len(asked) == 1:
            waited.set()
        wait(answering, asked, assignment)

    monkeypatch.setattr(Answering, "_wait", wait_for_more)
    if is_left:
        with pytest.raises(AnnotatorError, match="cannot be read"):
            run(desk, tmp_path, ask)
        assert not desk.submitted and sorted(desk.given_back) == ["box_quality-1", "box_quality-2"]
    else:
        run(desk, tmp_path, ask)
        assert desk.submitted == {"box_quality-2": ["unclear", "unclear"], "box_quality-1": [2]}


def test_the_next_assignment_is_begun_while_the_last_question_is_answered(tmp_path: Path) -> None:
    begun = threading.Event()

    def ask(task: str, question: Any) -> ScoredAnswer:
        if question == 0:
            assert begun.wait(PATIENCE)
        elif question == 2:
            begun.set()
        return ScoredAnswer(question, None)

    desk = Desk(box_quality=[[0, 1], [2]])
    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-2": [0, 1], "box_quality-1": [2]}


def test_a_slow_model_keeps_its_lease(tmp_path: Path) -> None:
    desk = Desk(box_quality=[[0]])
    desk.left = 0.02

    def ask(task: str, question: Any) -> ScoredAnswer:
        assert desk.kept.wait(PATIENCE)
        return ScoredAnswer(question, None)

    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-1": [0]}


def test_the_result_of_a_test_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(box_quality=[[1]])
    result = {"right": 3, "asked": 10, "needed": 8, "passed": False, "mistakes": ["too loose\x1b[2J"]}
    desk.receipt = {"stored": 1, "test": result}
    run(desk, tmp_path)
    said = capsys.readouterr().out  # control characters of a service are written out
    assert "box quality: test not passed: 3 of 10 right, 8 needed. too loose\\u001b[2J\n" in said


def test_every_answer_is_written_down_with_its_score(tmp_path: Path) -> None:
    run(Desk(box_quality=[["good"]]), tmp_path)
    (row,) = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert (row["task"], row["place"], row["answer"], row["score"]) == ("box_quality", 0, "good", 0.9)


NOT_SET_TO_WORK = ServiceError("The requester has not set this program to work.", status=403, code="not_set_to_work")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Return an event that is set once a line was printed."""
    told, say = threading.Event(), SkipTally.say

    def say_and_tell(tally: SkipTally, line: str) -> None:
        say(tally, line)
        told.set()

    monkeypatch.setattr(SkipTally, "say", say_and_tell)
    return told


def test_a_spent_budget_leaves_the_rest_to_others(tmp_path: Path) -> None:
    ahead_is_answered, stop = threading.Event(), threading.Event()

    def ask(task: str, question: Any) -> ScoredAnswer:
        if question == 0:
            assert ahead_is_answered.wait(PATIENCE)
            raise BudgetSpent("The budget is spent.")
        if question == 3:
            ahead_is_answered.set()
            assert stop.wait(PATIENCE)
            raise BudgetSpent("The budget is spent.")
        return ScoredAnswer(question, None)

    desk = Desk(box_quality=[[0, 1], [2, 3]])
    with pytest.raises(BudgetSpent):
        run(desk, tmp_path, ask, stop=stop)
    assert desk.submitted == {"box_quality-2": [None, 1], "box_quality-1": [2, None]} and not desk.given_back


def test_an_assignment_ahead_without_an_answer_is_given_back(tmp_path: Path) -> None:
    stop = threading.Event()

    def ask(task: str, question: Any) -> ScoredAnswer:
        if question == 1:
            raise BudgetSpent("The budget is spent.")
        assert stop.wait(PATIENCE)
        return ScoredAnswer(question, None)

    desk = Desk(box_quality=[[0, 1], [2]])
    with pytest.raises(BudgetSpent):
        run(desk, tmp_path, ask, stop=stop)
    assert desk.submitted == {"box_quality-2": [0, None]} and desk.given_back == ["box_quality-1"]


def test_an_assignment_without_an_answer_is_given_back(tmp_path: Path) -> None:
    desk = Desk(box_quality=[[0, 1]])
    with pytest.raises(AnnotatorError, match="down"):
        run(desk, tmp_path, Mock(side_effect=AnnotatorError("The model server is down.")))
    assert desk.given_back == ["box_quality-1"] and not desk.submitted


@pytest.mark.parametrize("status", [0, 403, 500])
@pytest.mark.parametrize("place", ["keep", "submit"])
def test_after_a_refusal_the_assignment_ahead_is_submitted_and_the_model_called_no_more(
    tmp_path: Path, told: threading.Event, place: str, status: int
) -> None:
    asked, begun, settled, stop = [], threading.Event(), threading.Event(), threading.Event()
    ended = told if status == 403 else stop

    def ask(task: str, question: Any) -> ScoredAnswer:
        asked.append(question)
        if question == 0 and place == "keep":
            assert ended.wait(PATIENCE)
        if question == 1:
            begun.set()
            assert settled.wait(PATIENCE)
        return ScoredAnswer(question, None)

    desk = Desk(box_quality=[[0], [1, 2, 3]])
    desk.left = 0.02 if place == "keep" else 300.0
    submit, give_back = desk.submit, desk.give_back

    def refuse(token: str, answers: Any = None) -> Any:
        assert begun.wait(PATIENCE)
        raise ServiceError("No more.", status=status)

    def submit_ahead(token: str, answers: Any) -> Any:
        if token == "box_quality-2" and place == "submit":
            refuse(token)
        receipt = submit(token, answers)
        settled.set()
        return receipt

    def give_back_and_tell(token: str) -> None:
        give_back(token)
        settled.set()

    desk.submit, desk.give_back = submit_ahead, give_back_and_tell  # type: ignore[method-assign]
    if place == "keep":
        desk.keep = refuse  # type: ignore[method-assign]
    with pytest.raises(ServiceError, match="No more"):
        run(desk, tmp_path, ask, at_once=2 if place == "keep" else 1, stop=stop)
    ahead = {"box_quality-1": [1, None, None]}
    assert desk.submitted == ({"box_quality-2": [0], **ahead} if place == "keep" else ahead)
    assert desk.given_back == ([] if place == "keep" else ["box_quality-2"])
    assert sorted(asked) == [0, 1]


def test_an_assignment_ahead_that_the_service_no_longer_takes_is_given_back(tmp_path: Path) -> None:
    desk = Desk(box_quality=[[0], [1]])
    desk.submit = Mock(side_effect=ServiceError("You are not trusted.", status=403))  # type: ignore[method-assign]
    with pytest.raises(ServiceError, match="not trusted"):
        run(desk, tmp_path)
    assert sorted(desk.given_back) == ["box_quality-1", "box_quality-2"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("a fault of ours")])
def test_an_unforeseen_error_ends_all_tasks_and_leaves_nothing_locked(tmp_path: Path, error: Exception) -> None:
    ahead_is_answered = threading.Event()

    def ask(task: str, question: Any) -> ScoredAnswer:
        if question == 0:
            assert ahead_is_answered.wait(PATIENCE)
            raise error
        if question == 2:
            ahead_is_answered.set()
        return ScoredAnswer(question, None)

    desk = Desk(box_coverage=[], box_quality=[[0], [1, 2]])
    with pytest.raises(type(error), match=str(error.args[-1])):
        run(desk, tmp_path, ask, patience=3600)
    assert desk.submitted == {"box_quality-1": [1, 2]} and desk.given_back == ["box_quality-2"]


def test_answers_that_cannot_be_written_down_are_submitted_once(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").mkdir()
    desk = Desk(box_quality=[[0], [1]])
    with pytest.raises(OSError, match="Is a directory"):
        run(desk, tmp_path)
    assert desk.submitted["box_quality-2"] == [0] and not desk.work["box_quality"]


def test_no_call_is_made_for_an_assignment_ahead_that_ended_elsewhere(tmp_path: Path) -> None:
    asked, begun, another_is_answered = [], threading.Event(), threading.Event()

    def ask(task: str, question: Any) -> ScoredAnswer:
        asked.append(question)
        if question == 1:
            begun.set()
            assert another_is_answered.wait(PATIENCE)
        return ScoredAnswer(question, None)

    desk = Desk(box_quality=[[0], [1, 2], [3]])
    submit, ask_for = desk.submit, desk.ask

    def submit_and_end_the_next(token: str, answers: Any) -> Any:
        assert begun.wait(PATIENCE)
        receipt = submit(token, answers)
        desk.work["box_quality"] = desk.work["box_quality"][-1:] if token == "box_quality-3" else []
        return receipt

    def ask_and_tell(task: str, *, ahead_of: str = "") -> Any:
        if ahead_of == "box_quality-1":
            another_is_answered.set()
        return ask_for(task, ahead_of=ahead_of)

    desk.submit, desk.ask = submit_and_end_the_next, ask_and_tell  # type: ignore[method-assign]
    run(desk, tmp_path, ask, at_once=1)
    assert desk.submitted == {"box_quality-3": [0], "box_quality-1": [3]} and asked == [0, 1, 3]


def test_an_assignment_ended_elsewhere_does_not_end_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(box_quality=[[0]], box_coverage=[[1]])
    submit = desk.submit

    def refuse(token: str, answers: Any) -> Any:
        if token.startswith("box_quality"):
            desk.give_back(token)
            raise ServiceError("This assignment has ended.", status=409)
        return submit(token, answers)

    desk.submit = refuse  # type: ignore[method-assign]
    tally = run(desk, tmp_path)
    assert desk.submitted == {"box_coverage-1": [1]}
    assert "box quality: 0 answered. Nothing is open." in tally.lines()
    assert "box quality: This assignment has ended." in capsys.readouterr().out


def test_a_task_that_is_closed_to_the_program_ends_with_the_reason_at_once_and_others_go_on(
    tmp_path: Path, told: threading.Event, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(box_quality=[[1]], box_coverage=[[2]])
    asked = desk.ask

    def ask_for(task: str, *, ahead_of: str = "") -> Any:
        if task == "box_coverage":
            raise NOT_SET_TO_WORK
        return asked(task, ahead_of=ahead_of)

    def ask(task: str, question: Any) -> ScoredAnswer:
        assert told.wait(PATIENCE)
        return ScoredAnswer(question, None)

    desk.ask = ask_for  # type: ignore[method-assign]
    tally = run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-1": [1]}
    assert f"box coverage: {NOT_SET_TO_WORK}" in capsys.readouterr().out
    assert f"box coverage: 0 answered. {NOT_SET_TO_WORK}" in tally.lines()


def test_a_program_that_may_do_nothing_is_told_why_at_once(tmp_path: Path) -> None:
    desk, ask = Desk(box_quality=[[1]], box_coverage=[[2]]), Mock(side_effect=NOT_SET_TO_WORK)
    desk.ask = ask  # type: ignore[method-assign]
    with pytest.raises(ServiceError, match="has not set this program to work"):
        run(desk, tmp_path, patience=3600)
    assert sorted(call.args[0] for call in ask.call_args_list) == ["box_coverage", "box_quality"]
