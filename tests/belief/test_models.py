"""Models that judge: records, fits, calibration, families, audits; the reference set.
A learned state is read as it was written, and wrong values are named.
The example of the library, whose output its page shows.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from belief import annotators, example
from belief.annotators import GUESSES, ErrorRates
from belief.boxes.box_prior import BoxPrior
from belief.learned import LearnedState
from belief.links.answer_model import CrowdErrors
from belief.links.link_prior import DEFAULT
from belief.models.calibration import (
    BOTH,
    MIN_AUDITED_CHAINS,
    NOT_MEASURED,
    Calibration,
    SureForecast,
    calibration_of,
    weigh_models,
)
from belief.models.error_correlation import (
    MIN_LOG_RATIO,
    NO_FAMILIES,
    ErrorCorrelation,
    Families,
    fit_error_correlation,
    pair_of,
)
from belief.models.fit import NEWEST_ANSWERS, WINDOW, ModelAnswer, counted_places, since_drift
from belief.models.records import (
    NEW_BOX_MODEL,
    NO_ANSWERS,
    SUSPECTED_AUDIT,
    BoxRecord,
    LinkRecord,
    audit_share,
    error_rates,
)
from belief.models.reference import IMAGINED_BOXES, Reference
from belief.values import ProgramNumber
from tests.support.table import case
from workers.rules.score import sigmoid

NAMES = {"7": "llava", "8": "llava", "9": "llava", "12": "qwen"}
TWO = {"7 8": ErrorCorrelation(apart=MIN_LOG_RATIO)}
FAMILIES, RELEASED = Families(NAMES), Families(NAMES, TWO)


def counting_family(families: Families, *programs: int | None) -> list[int | None]:
    return families.firsts(programs, lambda one: (one, "the same box"))


def test_programs_of_one_family_are_one_and_others_are_not():
    assert FAMILIES.are_one(7, "8") and FAMILIES.are_one(3, 3)
    assert not FAMILIES.are_one(7, 12) and not FAMILIES.are_one(3, 4), "two of no family"


def test_of_answers_about_one_thing_the_first_of_each_family_counts_and_every_persons():
    assert counting_family(FAMILIES, None, 8, 12, None, 7, 9) == [None, 8, 12, None]
    assert counting_family(NO_FAMILIES, 8, 7, 9) == [8, 7, 9]
    assert FAMILIES.firsts([7, 8], lambda one: (one, one)) == [7, 8], "about two things"


def test_two_whose_answers_show_them_apart_count_as_two_and_again_as_one_once_that_ends():
    assert counting_family(RELEASED, 7, 8) == [7, 8]
    assert counting_family(RELEASED, 7, 9, 8) == [7, 8], "the third is still one with both"
    assert counting_family(Families(NAMES, {"7 8": ErrorCorrelation(apart=MIN_LOG_RATIO - 0.1)}), 7, 8) == [7]


def test_kin_are_the_others_that_count_as_one_with_a_program():
    assert FAMILIES.relatives([7], (7, 8, 12)) == [8] and RELEASED.relatives([7], (7, 8, 9)) == [9]
    assert NO_FAMILIES.relatives([7], (7, 8)) == []


def test_of_what_programs_said_of_an_image_that_of_the_lowest_number_of_each_family_counts():
    assert FAMILIES.first_of_each({"12": "a", "8": "b", "7": "c"}) == {"12": "a", "7": "c"}
    assert NO_FAMILIES.first_of_each({8: "b", 7: "c"}) == {8: "b", 7: "c"}


KNOWN = BoxRecord(there=(90.0, 10.0))
SUSPECT = BoxRecord(there=(90.0, 10.0), weight=0.7)


@case("the audit is as large as the setting says while all is well", KNOWN, KNOWN, 0.03)
@case("everything is in the audit while one program is new", KNOWN, NEW_BOX_MODEL, 1.0)
@case("everything is in the audit while the other is under suspicion", SUSPECT, NEW_BOX_MODEL, 1.0)
@case("the audit grows under suspicion", KNOWN, SUSPECT, SUSPECTED_AUDIT)
def test_the_share_of_the_audit(one: BoxRecord, other: BoxRecord, share: float):
    assert audit_share([one, other], 0.03) == share


NUMBERS = TypeAdapter(ProgramNumber)


def is_number(text: object) -> bool:
    try:
        return NUMBERS.validate_python(text) == text
    except ValidationError as error:
        assert "should be the number of a program" in str(error)
        return False


def test_it_has_1_to_18_digits_and_begins_with_none_that_is_0():
    right = ["1", "10", "9" * 18]
    wrong = ["", "0", "07", "-1", "1.0", "1e3", " 1", "1\n", "٣", "²", "boxer", "person", "1" * 19, 7]
    assert [one for one in [*right, *wrong] if is_number(one)] == right


def claims(number: int, *, said: float, right: float, errs: float = 0.1, seed: int = 1) -> list[SureForecast]:
    """Claims of which a share is right, each answered by three people who err."""
    draw, found = Random(seed), []
    for place in range(number):
        is_right, ratio = place < right * number, 1.0
        for _ in range(3):
            agrees = (draw.random() < errs) != is_right
            ratio *= (1 - errs) / errs if agrees else errs / (1 - errs)
        found.append(SureForecast(said, ratio))
    return found


@pytest.mark.parametrize("right", [0.95, 0.8])
def test_the_share_that_is_right_is_found_though_people_err(right: float):
    held = calibration_of(300, claims(300, said=0.95, right=right))
    assert held.right == pytest.approx(right, abs=0.02) and held.low < right < held.high
    assert (held.chains, held.forecasts, held.mean_chance) == (300, 300, pytest.approx(0.95))
    assert held.is_too_sure == held.is_off == (right == 0.8)


def test_chance_alone_seldom_parts_the_two():
    runs = (Random(seed) for seed in range(50))
    drawn = ([SureForecast(0.93, 50.0 if draw.random() < 0.93 else 0.02) for _ in range(60)] for draw in runs)
    assert sum(calibration_of(60, own).is_off for own in drawn) <= 3


def test_who_is_right_more_often_than_said_is_not_too_sure():
    held = calibration_of(400, claims(400, said=0.9, right=1.0))
    assert held.is_off and not held.is_too_sure and held.lets_programs_finish


def test_programs_finish_chains_alone_once_enough_of_them_were_held():
    fine = Calibration(MIN_AUDITED_CHAINS, 90, 0.95, 0.94, 0.88, 0.97)
    assert fine.lets_programs_finish and not replace(fine, chains=MIN_AUDITED_CHAINS - 1).lets_programs_finish
    assert not replace(fine, mean_chance=0.98).lets_programs_finish and not NOT_MEASURED.lets_programs_finish
    assert calibration_of(MIN_AUDITED_CHAINS, []) == Calibration(MIN_AUDITED_CHAINS)


@dataclass(frozen=True)
class Prior:
    model_annotators: dict[str, LinkRecord] = field(default_factory=dict)


def says(prior: Prior, model_annotators: Collection[str]) -> Calibration:
    """Each model annotator makes the belief say more; only 0.95 is right, within a point."""
    said = 0.9 + sum(
        0.04 * prior.model_annotators[model_annotator].weight
        for model_annotator in ("7", "8")
        if model_annotator in model_annotators
    )
    return Calibration(100, 100, said, 0.95, 0.94, 0.96)


def test_models_that_hold_alone_but_not_together_count_less_together():
    prior, held = weigh_models(Prior({"7": LinkRecord(), "8": LinkRecord(weight=0.3)}), says)
    assert {name: record.weight for name, record in prior.model_annotators.items()} == {"7": 0.6, "8": 0.6}
    assert held["7"].mean_chance == held["8"].mean_chance == pytest.approx(0.94) and held[
        BOTH
    ].mean_chance == pytest.approx(0.98)


def test_a_model_that_holds_again_counts_in_full_again_and_without_models_there_is_nothing_to_hold():
    prior, held = weigh_models(Prior({"7": LinkRecord(weight=0.2)}), says)
    assert prior.model_annotators["7"].weight == 1 and set(held) == {"7", BOTH}
    assert weigh_models(Prior(), says) == (Prior(), {})


def test_a_model_counts_for_nothing_if_the_belief_is_too_sure_with_any_of_it():
    prior, _ = weigh_models(Prior({"7": LinkRecord()}), lambda *_: Calibration(100, 100, 0.99, 0.8, 0.7, 0.9))
    assert prior.model_annotators["7"].weight == 0


SURE = 0.97
WRONG = 0.2


def said(things: int, shared: float, *, seed: int = 1, in_audit: bool = True, first: int = 0) -> list[ModelAnswer]:
    """The answers of programs 7 and 12, who err in 20 %; of that they share a part. People are right in 97 %."""
    draw, found = Random(seed), []
    for thing in range(first, first + things):
        bad = draw.random() < 0.5
        wrong = SURE if bad == (draw.random() < SURE) else 1 - SURE
        common = draw.random() < WRONG
        for model_annotator in ("7", "12"):
            errs = common if draw.random() < shared else draw.random() < WRONG
            found.append(ModelAnswer(model_annotator, thing, wrong, bad != errs, ("bad", "good"), in_audit))
    return found


def record(answers: list[ModelAnswer]) -> ErrorCorrelation:
    return fit_error_correlation(answers)["7 12"]


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
    draw, hard = Random(1), list[ModelAnswer]()
    for thing, model_annotator in product(range(200), ("7", "12")):
        bad = thing % 2 == 0
        hard.append(
            ModelAnswer(model_annotator, thing, float(bad), bad and draw.random() < 0.5, ("bad", "good"), audited=True)
        )
    assert record(hard).are_apart


def test_only_the_audit_tells_and_what_was_said_before_two_began_to_err_together_does_not():
    assert record(said(60, 0.0, in_audit=False)).things == 0
    turned = [*said(300, 0.0), *said(90, 1.0, seed=2, first=300)]
    assert record(turned[:600]).are_apart and not record(turned).are_apart


def test_of_two_that_judged_nothing_in_common_nothing_is_known():
    apart = [one._replace(subject=(one.model, one.subject)) for one in said(10, 0.0)]
    assert fit_error_correlation(apart) == {} == fit_error_correlation([])


def test_a_pair_has_one_name():
    assert pair_of(12, "7") == pair_of("7", 12) == "7 12"


def test_where_people_are_certain_and_all_things_are_bad_nothing_else_is_looked_for():
    certain = [one._replace(chance=1.0, alarmed=one.subject != 0) for one in said(20, 0.0)]
    assert record(certain).together == pytest.approx(1, abs=0.1)


ENTITIES = Reference(50, 0.95)


def test_the_guess_counts_for_as_many_boxes_as_are_said_and_half_of_the_wrong_chains_are_wrong_in_their_phrases():
    assert ENTITIES.boxes() == pytest.approx((0.95 * IMAGINED_BOXES, 0.05 * IMAGINED_BOXES))
    assert ENTITIES.phrase_error == pytest.approx(0.025)


def test_the_number_of_boxes_that_the_source_has_becomes_likely_however_large_it_is():
    even = [1 / 13] * 13
    for own in (0, 1, 5, 11, 12, 13, 40):
        chances = ENTITIES.weigh(even, own)
        assert sum(chances) == pytest.approx(1)
        assert chances[own] > 0.9 and chances[own + 1] < 0.05


def test_a_wrong_number_is_mostly_one_too_many_or_one_too_few_and_less_likely_where_the_phrase_speaks_against_it():
    even = [1 / 13] * 13
    chances = ENTITIES.weigh(even, 3)
    assert sorted(range(13), key=lambda number: -chances[number])[:3] == [3, 2, 4]
    assert chances[0] == chances[7] == 0, "one box of three is forgotten, not invented"
    assert ENTITIES.weigh(even, 1)[0] > ENTITIES.weigh(even, 2)[0], "where none is due, the wrong number is 1"
    assert ENTITIES.weigh(even, 0)[1] > ENTITIES.weigh(even, 0)[2], "one box is forgotten sooner than two"
    assert ENTITIES.weigh([0.0, 0.97, 0.03], 2)[2] < 0.7


def test_few_answers_are_pulled_to_the_share_of_all_its_wrong_answers_and_none_says_the_opposite_of_what_it_says():
    few, many = (error_rates((size * 2, size), (90.0, 10.0), wrong=0.1).miss for size in (1.0, 50.0))
    assert 0.1 < few < many < 1 / 3
    assert error_rates(NO_ANSWERS, NO_ANSWERS, wrong=0.2) == pytest.approx((0.2, 0.2))
    assert sum(error_rates((5.0, 60.0), (5.0, 60.0), wrong=0.9)) == pytest.approx(1)


def test_all_tallies_count_together():
    assert LinkRecord((3.0, 1.0), (2.0, 2.0)).answers == BoxRecord((3.0, 1.0), bad={"7": (2.0, 2.0)}).answers == 8
    assert LinkRecord((98.0, 2.0)).wrong == BoxRecord(there=(98.0, 2.0)).wrong == pytest.approx(2.2 / 102)


def test_a_lighter_model_says_this_share_of_what_it_says():
    full, half = ErrorRates(0.1, 0.02), ErrorRates(0.1, 0.02).tempered(0.5)
    assert math.log((1 - half.false_alarm) / half.miss) == pytest.approx(
        math.log((1 - full.false_alarm) / full.miss) / 2
    )
    assert math.log((1 - half.miss) / half.false_alarm) == pytest.approx(
        math.log((1 - full.miss) / full.false_alarm) / 2
    )


def test_a_model_of_no_weight_guesses_and_one_of_all_weight_stays_as_it_is():
    assert ErrorRates(0.1, 0.02).tempered(0) == GUESSES and ErrorRates(0.1, 0.02).tempered(1) == ErrorRates(0.1, 0.02)
    assert ErrorRates(0.6, 0.4).tempered(0.5) == ErrorRates(0.6, 0.4)


def contradictions(*phases: tuple[int, float], seed: int = 1) -> list[float]:
    """For each phase so many answers, and the share that contradicts people."""
    draw = Random(seed)
    return [float(draw.random() < share) for number, share in phases for _ in range(number)]


@case("answers before a turn count no longer", contradictions((200, 0.1), (90, 0.5)), 200 - WINDOW, 290)
@case("a program that gets better keeps what it said", contradictions((200, 0.5), (100, 0.1)), 0, 0)
@case("too few answers show no turn", [0.0] * WINDOW + [1.0] * (WINDOW - 1), 0, 0)
def test_the_first_answer_that_counts(answers: list[float], least: int, most: int):
    assert least <= since_drift(answers) <= most


def test_a_program_that_errs_evenly_has_not_turned():
    assert [since_drift(contradictions((240, 0.08), seed=seed)) for seed in range(20)].count(0) >= 19


def test_the_newest_answers_of_the_audit_count():
    count = counted_places([0.1] * 700, [place % 2 == 0 for place in range(700)])
    assert len(count) == NEWEST_ANSWERS and all(place % 2 == 0 for place in count) and count[-1] == 698


def test_answers_are_compared_with_others_of_their_kind():
    """Outside the audit a program is contradicted more often, since people are asked where they doubt it."""
    of_audit, others = contradictions((120, 0.1)), contradictions((200, 0.4))
    assert counted_places([*of_audit, *others], [True] * 120 + [False] * 200) == list(range(120))
    turned = [*of_audit, *others, *contradictions((90, 0.9)), 0.1]
    assert counted_places(turned, [True] * 120 + [False] * 290 + [True]) == [410]


LEARNED = LearnedState(
    links=replace(DEFAULT, refitted_on=15),
    crowd=CrowdErrors(0.2, 0.1),
    programs={"7": (0.1, 0.2)},
    boxes=BoxPrior(refitted_on=9),
)


def test_what_was_learned_is_read_as_it_was_written() -> None:
    assert LearnedState.from_json(LEARNED.to_json()) == LEARNED
    assert LearnedState().to_json() == {} and LearnedState.from_json({}) == LearnedState()


WRONG_VALUES: dict[str, dict[str, Any]] = {
    "errors of links should be": {"link_errors": {"odd": 1}},
    "should be two shares": {"program_errors": {"7": [0.1]}},
    "sizes=3 should be an object": {"link_prior": {"sizes": 3}},
}


@pytest.mark.parametrize("said", WRONG_VALUES)
def test_wrong_values_are_named(said: str) -> None:
    with pytest.raises(ValueError, match=said):
        LearnedState.from_json(WRONG_VALUES[said])


def test_the_page_shows_what_the_example_prints():
    shown = Path(example.__file__).with_name("README.md").read_text().split("```")[1].strip().splitlines()
    assert shown == [*example.boxes(), *example.links()]


def test_no_error_is_larger_than_the_hardest():
    logits = annotators.error_logits(0.3, nodes=6, spread=3.0, between=(-30.0, 0.5), steps=60, hardest=0.5)
    assert max(logits) == 0.5 and sum(map(sigmoid, logits)) / 6 == pytest.approx(0.3)
