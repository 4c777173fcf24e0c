"""The box prior follows finished chains, and is pulled towards the prior that was given."""

from dataclasses import replace
from itertools import starmap

import pytest

from pipeline.rules.boxing.belief.box_belief import BoxAnswer
from pipeline.rules.boxing.fits.fit_box_prior import CHAINS, FinishedChain, fit_box_prior
from pipeline.rules.boxing.prior.box_prior import DEFAULT, BoxPrior, ProgramRecord
from pipeline.rules.boxing.prior.program_trust import Judged, ProgramBox
from pipeline.rules.tasks.task import Task


def dogs(boxes: int, words: str = "a dog", *programs: ProgramBox) -> FinishedChain:
    said = tuple(words.split())
    return FinishedChain(frozenset({"animals"}), said, said[-1], tuple(range(boxes)), programs)


def test_without_chains_the_prior_stays():
    assert fit_box_prior([]) is DEFAULT


def test_a_share_is_that_of_the_chains_and_of_imagined_ones_as_given():
    given = BoxPrior(none={"animals": 0.5})
    fitted = fit_box_prior([dogs(1)] * 30 + [dogs(0)] * 10, given)
    assert fitted.none_of("animals") == pytest.approx((10 + 0.5 * CHAINS) / (40 + CHAINS), abs=1e-4)
    assert fitted.none_of("people") == pytest.approx(DEFAULT.none_of("people"))
    assert fitted.fitted_on == 40


def test_many_chains_leave_a_rest_of_doubt():
    assert fit_box_prior([dogs(1)] * 3000).none_of("animals") == 0.01


@pytest.mark.parametrize(
    ("words", "boxes", "kind", "place"),
    [
        ("a dog", 3, "one", 2),
        ("some dogs", 9, "plural", 5),
        ("four dogs", 4, "number", 0),
        ("four dogs", 3, "number", 2),
    ],
)
def test_chains_count_for_the_class_of_their_phrase(words: str, boxes: int, kind: str, place: int):
    fitted, before = fit_box_prior([dogs(boxes, words)] * 20).counts_of(kind), DEFAULT.counts_of(kind)
    more = [after > was / sum(before) for after, was in zip(fitted, before, strict=True)]
    assert more == [one == place for one in range(6)]


def test_chains_without_a_box_tell_nothing_of_how_many_others_have():
    fitted = fit_box_prior([dogs(0)] * 50)
    assert fitted.counts_of("one") == pytest.approx(DEFAULT.counts_of("one"), abs=1e-3)


def test_numbers_of_proposed_boxes_count_and_what_was_known_of_the_program_s_boxes_stays():
    known = ProgramRecord((0.0,) * 5 + (8.0,), (0.0,) * 5 + (2.0,))
    chains = [dogs(1)._replace(proposed={"7": 1}), dogs(0)._replace(proposed={"7": 0, "8": 0})]
    fitted = fit_box_prior(chains, BoxPrior(programs={"7": known}))
    assert fitted.programs["7"] == replace(known, numbers=((1, 0, 0, 0), (0, 1, 0, 0), (0,) * 4, (0,) * 4))
    assert sum(fitted.programs["8"].good) == 0
    assert BoxPrior.from_json(fitted.to_json()) == fitted


def test_boxes_of_programs_count_where_a_chain_needed_one():
    box = ProgramBox("7", None, (Judged(True),))
    fitted = fit_box_prior(list(starmap(dogs, [(0, "a dog", box), (1, "a dog", box)])))
    assert sum(fitted.programs["7"].good) + sum(fitted.programs["7"].bad) == pytest.approx(1)


def test_what_was_given_of_the_crowd_and_of_other_programs_stays():
    record = ProgramRecord((0.0,) * 5 + (9.0,), (0.0,) * 5 + (1.0,))
    given = BoxPrior(errors={"quality": 0.2}, programs={"3": record})
    fitted = fit_box_prior([dogs(1)], given)
    assert (fitted.errors, fitted.programs) == (given.errors, given.programs)


def test_errors_follow_answers_and_not_what_chains_ended_with():
    """One of three workers disagreed in each chain, and was outvoted."""
    said = tuple(BoxAnswer(Task.BOX_REQUIREMENT, vote) for vote in (1, 2, 1))
    fitted = fit_box_prior([dogs(1)._replace(heard=said)] * 10)
    assert fitted.error_of("requirement") > DEFAULT.error_of("requirement") + 0.02


def test_what_programs_make_the_belief_say_of_the_lot_is_held_and_stored():
    juror = BoxAnswer(Task.BOX_COVERAGE, "all there", shown=(0,), juror="70")
    said = (BoxAnswer(Task.BOX_DRAWING, None, box=0), juror, BoxAnswer(Task.BOX_COVERAGE, "all there", shown=(0,)))
    own = dogs(1)._replace(heard=said)
    fitted = fit_box_prior([own._replace(in_lot=True)] * 30 + [own] * 2)
    assert fitted.held["70"].chains == fitted.held["70"].claims == 30 and fitted.jurors["70"].wary
    assert BoxPrior.from_json(fitted.to_json()) == fitted
