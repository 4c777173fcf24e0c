"""Workers whose boxes look copied."""

import random

import pytest

from workers.rules.signals.copied_boxes import (
    Blind,
    Drawn,
    NearBoxes,
    Repeat,
    blind,
    copied_boxes,
    copies,
    overlap,
    shared_boxes,
    usual_copies,
)

SIZE = (500, 400)
BOX = (40, 50, 240, 250)


def drawn(id: int, box: tuple[int, int, int, int] = BOX, *, worker: int = 1, image: int | None = None) -> Drawn:
    return Drawn(id, worker, id if image is None else image, box, SIZE)


def test_overlap_is_intersection_over_union():
    assert overlap((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert overlap((0, 0, 2, 2), (2, 0, 3, 2)) == 0


def test_the_grid_finds_exactly_the_boxes_that_a_comparison_of_all_finds():
    rng = random.Random("grid")
    boxes = []
    for id in range(80):
        x, y, w, h = rng.choice((0, 3, 9, 10)), rng.choice((0, 199, 200)), rng.randint(195, 205), rng.randint(98, 102)
        boxes.append(drawn(id, (x, y, x + w, y + h)))
    grid = NearBoxes()
    for one in boxes:
        grid.add(one)
    scaled = {one.id: one.scaled for one in boxes}
    near = {id: {other for other, its in scaled.items() if overlap(box, its) >= 0.98} for id, box in scaled.items()}
    found = {one.id: [other.id for other in grid.near(one)] for one in boxes}
    assert {id: set(others) for id, others in found.items()} == near
    assert 80 < sum(map(len, found.values())) < 80**2


def test_a_whole_picture_and_the_default_box_need_no_look():
    whole, default, large = (0, 1, 500, 400), (125, 100, 375, 300), (0, 0, 480, 400)
    expected = {whole: Blind.WHOLE, default: Blind.DEFAULT, large: None, BOX: None}
    assert {box: blind(drawn(1, box)) for box in expected} == expected


SHIFTED = (41, 50, 241, 250)


def test_a_box_of_another_picture_a_pixel_off_is_a_copy_and_its_source_is_none():
    assert copies([drawn(1), drawn(2, SHIFTED)]) == {2: Repeat.OWN}
    assert copies([drawn(1), drawn(2, SHIFTED, worker=2)]) == {2: Repeat.OTHERS}


def test_the_same_thing_of_one_picture_drawn_twice_is_no_copy():
    assert copies([drawn(1, image=5), drawn(2, image=5), drawn(3, image=5, worker=2)]) == {}


def test_boxes_that_people_would_draw_of_one_thing_are_no_copies():
    assert copies([drawn(1), drawn(2, (46, 50, 246, 254))]) == {}


def test_numbers_scale_with_the_picture():
    twice = Drawn(2, 1, 2, (80, 100, 480, 500), (1000, 800))
    assert copies([drawn(1), twice]) == {2: Repeat.OWN}


def test_the_whole_picture_and_the_default_box_are_known_by_themselves():
    assert copies([drawn(1, (0, 1, 500, 400)), drawn(2, (125, 100, 375, 300))]) == {1: Blind.WHOLE, 2: Blind.DEFAULT}


def test_a_large_box_is_no_copy_of_a_whole_picture():
    assert copies([drawn(1, (0, 0, 495, 400)), drawn(2, (0, 0, 488, 400), worker=2)]) == {1: Blind.WHOLE}


def test_a_worker_with_many_copies_is_shown_with_the_figures():
    copied = dict.fromkeys(range(10), Repeat.OWN)
    usual = usual_copies({1: range(50), **{n: range(100 * n, 100 * n + 50) for n in range(2, 8)}}, copied)
    signal = copied_boxes(1, range(50), copied, usual)
    assert signal is not None
    assert signal.chance < 0.01
    assert signal.evidence == "Of 50 boxes 10 repeat the worker's own box of another picture (usual: 2)."
    assert signal.judgments == tuple(range(10))
    assert copied_boxes(2, range(200, 250), copied, usual) is None


def test_what_everybody_does_is_no_signal():
    boxes_of = {n: range(100 * n, 100 * n + 50) for n in range(6)}
    copied = {id: Blind.WHOLE for ids in boxes_of.values() for id in ids[:20]}
    usual = usual_copies(boxes_of, copied)
    assert usual[Blind.WHOLE] == pytest.approx(0.4)
    assert copied_boxes(1, boxes_of[1], copied, usual) is None


def test_few_boxes_say_nothing():
    copied = dict.fromkeys(range(20), Blind.WHOLE)
    usual = usual_copies({}, copied)
    assert copied_boxes(1, range(19), copied, usual) is None
    assert copied_boxes(1, range(20), copied, usual) is not None


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
