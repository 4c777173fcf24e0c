"""A run of answering: what is submitted, with which words, and what is written down."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from colleague.asker import Given
from colleague.errors import NoAnswer, NoPicture
from tests.colleague.desk import Desk, run
from tests.support.services import PATIENCE

pytestmark = pytest.mark.usefixtures("looks_at_once")


def test_answers_stand_at_the_places_of_their_questions(tmp_path: Path) -> None:
    first_may_go = threading.Event()

    def ask(task: str, question: Any) -> Given:
        if question == 0:
            assert first_may_go.wait(PATIENCE)
        first_may_go.set()
        return Given(question, None)

    desk = Desk(box_quality=[[0, 1, 2, 3], [4]])
    tally = run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-2": [0, 1, 2, 3], "box_quality-1": [4]}
    assert tally.lines() == ["box quality: 5 answered. Nothing is open."]


def test_tasks_are_worked_on_beside_each_other(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=PATIENCE)

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


def test_the_next_assignment_is_begun_while_the_last_question_is_answered(tmp_path: Path) -> None:
    begun = threading.Event()

    def ask(task: str, question: Any) -> Given:
        if question == 0:
            assert begun.wait(PATIENCE)
        elif question == 2:
            begun.set()
        return Given(question, None)

    desk = Desk(box_quality=[[0, 1], [2]])
    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-2": [0, 1], "box_quality-1": [2]}


def test_a_slow_model_keeps_its_lease(tmp_path: Path) -> None:
    desk = Desk(box_quality=[[0]])
    desk.left = 0.02

    def ask(task: str, question: Any) -> Given:
        assert desk.kept.wait(PATIENCE)
        return Given(question, None)

    run(desk, tmp_path, ask)
    assert desk.submitted == {"box_quality-1": [0]}


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
