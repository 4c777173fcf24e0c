"""A run of answering: what is submitted, what is left to others, and when it ends."""

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from colleague import answer
from colleague.answer import Answering
from colleague.asker import Given
from colleague.errors import BudgetSpent, ColleagueError, NoAnswer, NoPicture, ServiceError
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


@pytest.fixture(autouse=True)
def _look_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "LOOK_SECONDS", 0.01)


def test_answers_stand_at_the_places_of_their_questions(tmp_path: Path) -> None:
    first_may_go = threading.Event()

    def ask(task: str, question: Any) -> Given:
        if question == 0:
            assert first_may_go.wait(30)
        first_may_go.set()
        return Given(question, None)

    desk = Desk(box_quality=[[0, 1, 2, 3], [4]])
    tally = run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-2": [0, 1, 2, 3], "box_quality-1": [4]}
    assert tally.lines() == ["box quality: 5 answered. Nothing is open."]


def test_tasks_are_worked_on_beside_each_other(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=30)

    def ask(task: str, question: Any) -> Given:
        both.wait()
        return Given(question, None)

    desk = Desk(box_quality=[[1]], box_coverage=[[2]])
    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-1": [1], "box_coverage-1": [2]}


def test_a_reply_that_is_no_answer_is_a_skip_that_is_counted_with_its_reason(tmp_path: Path) -> None:
    def ask(task: str, question: Any) -> Given:
        if question == 1:
            raise NoPicture("a picture that is not there")
        if question == 2:
            raise NoAnswer("no JSON")
        return Given(question, 0.4 if question == 3 else 0.9)

    desk = Desk(box_quality=[[0, 1, 2, 3]])
    tally = run(desk, tmp_path, ask, skip_below=0.5)
    assert desk.submitted == {"box_quality-1": [0, "picture", "unclear", "unclear"]}
    (line,) = tally.lines()
    assert "1 answered, 3 skipped (1 " in line
    assert all(why in line for why in ("1 a picture that is not there", "1 no JSON", "1 not sure enough"))


def test_a_spent_budget_leaves_the_rest_to_others(tmp_path: Path) -> None:
    def ask(task: str, question: Any) -> Given:
        if question == 1:
            raise BudgetSpent("The budget is spent.")
        return Given(question, None)

    desk = Desk(box_quality=[[0, 1], [2]])
    with pytest.raises(BudgetSpent):
        run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-2": [0, None]} and desk.given_back == ["box_quality-1"]


def test_an_assignment_without_an_answer_is_given_back(tmp_path: Path) -> None:
    def ask(task: str, question: Any) -> Given:
        raise ColleagueError("The model server is down.")

    desk = Desk(box_quality=[[0, 1]])
    with pytest.raises(ColleagueError, match="down"):
        run(desk, tmp_path, ask)
    assert desk.given_back == ["box_quality-1"] and not desk.submitted


def test_the_next_assignment_is_begun_while_the_last_question_is_answered(tmp_path: Path) -> None:
    begun = threading.Event()

    def ask(task: str, question: Any) -> Given:
        if question == 0:
            assert begun.wait(30)
        elif question == 2:
            begun.set()
        return Given(question, None)

    desk = Desk(box_quality=[[0, 1], [2]])
    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-2": [0, 1], "box_quality-1": [2]}


def test_an_assignment_that_ended_elsewhere_does_not_end_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_a_slow_model_keeps_its_lease(tmp_path: Path) -> None:
    desk = Desk(box_quality=[[0]])
    desk.left = 0.02

    def ask(task: str, question: Any) -> Given:
        assert desk.kept.wait(30)
        return Given(question, None)

    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-1": [0]}


def test_a_task_that_is_closed_to_the_program_ends_with_the_reason_and_others_go_on(tmp_path: Path) -> None:
    desk = Desk(box_quality=[[1]], box_coverage=[[2]])
    asked = desk.ask

    def ask(task: str, *, ahead_of: str = "") -> Any:
        if task == "box_coverage":
            raise ServiceError("You are not trusted.", status=403, code="not_trusted")
        return asked(task, ahead_of=ahead_of)

    desk.ask = ask  # type: ignore[method-assign]
    tally = run(desk, tmp_path)
    assert desk.submitted == {"box_quality-1": [1]}
    assert "box coverage: 0 answered. You are not trusted." in tally.lines()


def test_the_result_of_a_test_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = Desk(box_quality=[[1]])
    result = {"right": 3, "asked": 10, "needed": 8, "passed": False, "mistakes": ["too loose"]}
    desk.receipt = {"stored": 1, "test": result}
    run(desk, tmp_path)
    assert "box quality: test not passed: 3 of 10 right, 8 needed. too loose" in capsys.readouterr().out


def test_every_answer_is_written_down_with_its_score(tmp_path: Path) -> None:
    run(Desk(box_quality=[["good"]]), tmp_path)
    (row,) = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert (row["task"], row["place"], row["answer"], row["score"]) == ("box_quality", 0, "good", 0.9)
