"""Pairs of workers who draw nearly equal boxes."""

import pytest

from workers.rules.signals.near_boxes import Drawn
from workers.rules.signals.shared_boxes import shared_boxes

SIZE = (500, 400)
BOX = (40, 50, 240, 250)
SHIFTED = (41, 50, 241, 250)


def drawn(id: int, box: tuple[int, int, int, int] = BOX, *, worker: int = 1, image: int | None = None) -> Drawn:
    return Drawn(id, worker, id if image is None else image, box, SIZE)


def test_pairs_with_nearly_equal_boxes_of_the_same_questions_are_found():
    questions = {
        n: [
            drawn(10 * n, worker=1),
            drawn(10 * n + 1, SHIFTED, worker=2),
            drawn(10 * n + 2, (60, 50, 240, 250), worker=3),
        ]
        for n in range(5)
    }
    found = shared_boxes(questions, least=0.01)
    assert set(found) == {(1, 2)}
    assert (found[1, 2].equal, found[1, 2].met) == (5, 5)
    assert found[1, 2].chance == pytest.approx((1 / 3) ** 5), "a third of all pairs of boxes are nearly equal"
    assert found[1, 2].judgments == (0, 1, 10, 11, 20, 21, 30, 31, 40, 41)
    assert shared_boxes({n: questions[n] for n in range(2)}) == {}


def test_two_who_draw_without_a_look_share_nothing():
    whole = {n: [drawn(10 * n, (0, 0, *SIZE), worker=1), drawn(10 * n + 1, (0, 0, *SIZE), worker=2)] for n in range(5)}
    assert shared_boxes(whole) == {}
