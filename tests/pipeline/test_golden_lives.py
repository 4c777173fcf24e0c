"""The image machine does with 3,035 lives of images what it did: see `golden_lives.py` for what a difference means."""

from collections import defaultdict

import pytest

from tests.pipeline.golden_lives import EVERY_MODE, FILE, PARTS, differing, golden, line_of, names, steps_of
from tests.support.golden_acts import ANSWERS

FEW = 6
"""The lives of each mode that are compared each time: as many as take three seconds."""
KINDS = ["ask", "expert", "judgment", "merge", "propose", "report", "start", "starve", "undo", "void"]
MOST_BYTES = 150_000


@pytest.mark.parametrize("mode", EVERY_MODE)
def test_the_first_lives_move_show_and_ask_what_they_did(mode: str) -> None:
    assert differing(names([mode], FEW)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("mode", EVERY_MODE)
def test_all_lives_move_show_and_ask_what_they_did(mode: str) -> None:
    assert differing(names([mode])) == {}


def test_a_life_is_the_same_when_it_is_lived_again() -> None:
    assert [line_of(steps_of("models 3")) for _ in range(2)] == [golden()["models 3"]] * 2


def test_there_is_a_small_golden_of_each_life() -> None:
    assert [*golden()] == names()
    assert all(len(line.split()) == len(PARTS) for line in golden().values())
    assert FILE.stat().st_size < MOST_BYTES


@pytest.mark.slow
def test_everything_happens_in_the_lives_and_is_not_always_refused() -> None:
    happened: dict[str, set[str]] = defaultdict(set)
    for name in names(first=60):
        for step in steps_of(name):
            if step.seen:
                happened["kinds"].add(step.kind)
                happened["acts of experts"].add(step.data.get("action", ""))
                happened["tasks"] |= {question[1] for question in step.seen.questions}
    assert happened["kinds"] == {"import", *KINDS}
    assert happened["tasks"] == {*ANSWERS, "box_drawing"}
    assert len(happened["acts of experts"] - {""}) == 15
