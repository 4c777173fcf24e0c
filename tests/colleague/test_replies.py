"""Replies that were paid, kept over kills, and the budget that they count for."""

import json
from pathlib import Path

import pytest

from colleague.errors import BudgetSpent, WrongUse
from colleague.replies import Replies, Reply
from colleague.spending import Limits, Spending

REPLY = Reply('{"answer": "größer"}', tokens_in=100, tokens_out=5, tokens=(("grö", -0.5), ("ßer", 0.0)))


def test_a_reply_is_there_for_the_next_process(tmp_path: Path) -> None:
    first = Replies(tmp_path / "work")
    first.keep("a", REPLY)
    first.close()
    second = Replies(tmp_path / "work")
    assert second.get("a") == REPLY
    second.close()


def test_a_reply_that_is_kept_would_outlive_a_kill(tmp_path: Path) -> None:
    first = Replies(tmp_path)
    first.keep("a", REPLY)
    assert json.loads(first.path.read_text())["content"] == REPLY.content
    first.close()


def test_a_line_that_a_kill_cut_off_is_passed_over_and_written_over(tmp_path: Path) -> None:
    first = Replies(tmp_path)
    first.keep("a", REPLY)
    first.close()
    with first.path.open("ab") as file:
        file.write(b'{"digest": "b", "cont')
    second = Replies(tmp_path)
    assert len(second) == 1
    second.keep("c", REPLY)
    second.close()
    assert [json.loads(line)["digest"] for line in first.path.read_text().splitlines()] == ["a", "c"]


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path) -> None:
    first = Replies(tmp_path)
    with pytest.raises(WrongUse, match="Another process works in"):
        Replies(tmp_path)
    first.close()
    Replies(tmp_path).close()


@pytest.mark.parametrize("line", ["{}", "[]", "hello", '{"digest": "a", "tokens": [1]}'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "replies.jsonl").write_text(line + "\n")
    with pytest.raises(WrongUse, match="is no file of replies"):
        Replies(tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WrongUse, match="cannot be used"):
        Replies(tmp_path / "file")


def test_the_budget_of_calls_is_never_passed() -> None:
    spending = Spending(Limits(calls=2))
    spending.begin()
    spending.begin()
    with pytest.raises(BudgetSpent, match=r"budget of 2 calls is spent: raise --most-calls"):
        spending.begin()


def test_calls_in_flight_count_as_the_dearest_so_far() -> None:
    spending = Spending(Limits(tokens=299))
    spending.count(90, 10)
    spending.begin()
    with pytest.raises(BudgetSpent, match="299 tokens"):
        spending.begin()
    spending.end(0, 0)
    spending.begin()


def test_money_follows_from_the_prices_of_a_million_tokens() -> None:
    spending = Spending(Limits(money=0.04, price_in=100, price_out=2000))
    spending.count(90, 2)
    assert spending.money == pytest.approx(0.013) and "0.01 in money" in str(spending)
    spending.begin()
    spending.begin()
    with pytest.raises(BudgetSpent, match="--most-money"):
        spending.begin()


def test_what_earlier_runs_spent_counts() -> None:
    spending = Spending(Limits(calls=1))
    spending.count(10, 1)
    with pytest.raises(BudgetSpent):
        spending.begin()
