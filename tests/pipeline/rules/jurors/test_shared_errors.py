"""Two programs are told apart from two that err alike, by what people say of the same things."""

from random import Random

import pytest

from pipeline.rules.jurors.shared_errors import Said, SharedErrors, fit_shared_errors, pair_of

SURE = 0.97
WRONG = 0.2


def said(things: int, shared: float, *, seed: int = 1, in_lot: bool = True, first: int = 0) -> list[Said]:
    """The answers of programs 7 and 12, who err in 20 %; of that they share a part. People are right in 97 %."""
    draw, found = Random(seed), []
    for thing in range(first, first + things):
        bad = draw.random() < 0.5
        wrong = SURE if bad == (draw.random() < SURE) else 1 - SURE
        common = draw.random() < WRONG
        for juror in ("7", "12"):
            errs = common if draw.random() < shared else draw.random() < WRONG
            found.append(Said(juror, thing, wrong, bad != errs, ("bad", "good"), in_lot))
    return found


def record(answers: list[Said]) -> SharedErrors:
    return fit_shared_errors(answers)["7 12"]


def test_two_that_err_apart_are_found_out():
    found = [record(said(300, 0.0, seed=seed)) for seed in range(1, 6)]
    assert all(one.are_apart and not one.are_shared for one in found)
    assert found[0].together == pytest.approx(found[0].by_chance, abs=8)


@pytest.mark.parametrize("shared", [0.8, 1.0], ids=["much", "everything"])
def test_two_that_err_alike_are_not_taken_for_two(shared: float):
    found = [record(said(150, shared, seed=seed)) for seed in range(3)]
    assert all(one.are_shared and one.together > 2 * one.by_chance for one in found)


def test_few_answers_tell_neither():
    few = record(said(15, 0.0))
    assert few.things == 15 and not few.are_apart and not few.are_shared


def test_what_both_find_hard_is_no_shared_error():
    """Both call half of the bad boxes good, each by itself, and no good box bad."""
    draw = Random(1)
    hard = [
        Said(juror, thing, 1.0 - (thing % 2), thing % 2 == 0 and draw.random() < 0.5, ("bad", "good"), in_lot=True)
        for thing in range(200)
        for juror in ("7", "12")
    ]
    assert record(hard).are_apart


def test_only_the_lot_tells_and_what_was_said_before_two_began_to_err_together_does_not():
    assert record(said(60, 0.0, in_lot=False)).things == 0
    turned = [*said(300, 0.0), *said(90, 1.0, seed=2, first=300)]
    assert record(turned[:600]).are_apart and not record(turned).are_apart


def test_of_two_that_judged_nothing_in_common_nothing_is_known():
    apart = [one._replace(thing=(one.juror, one.thing)) for one in said(10, 0.0)]
    assert fit_shared_errors(apart) == {} == fit_shared_errors([])


def test_a_pair_has_one_name():
    assert pair_of(12, "7") == pair_of("7", 12) == "7 12"


def test_where_people_are_certain_and_all_things_are_bad_nothing_else_is_looked_for():
    certain = [one._replace(wrong=1.0, alarmed=one.thing != 0) for one in said(20, 0.0)]
    assert record(certain).together == pytest.approx(1, abs=0.1)
