"""The prior of boxes and its parts: errors, records of models, phrase classes, trust in programs, the reference set."""

import json
from dataclasses import replace
from random import Random
from statistics import NormalDist
from typing import Any

import pytest

from annotation.rules.mention_type import NOUN_TYPES
from belief.annotators import GUESSES, IMAGINED_ANSWERS, MAX_SKILL, skill
from belief.boxes.box_answers import MAX_ERROR, NODES, SPREAD, BoxCoverage, BoxTask, drawing_chances, node_errors
from belief.boxes.box_belief import BoxAnswer, BoxEvidence
from belief.boxes.box_prior import (
    COUNT_CLASSES,
    DEFAULT,
    MAX_BOXES,
    TAIL,
    BoxPrior,
    PhraseClass,
    PhraseReading,
    ProgramRecord,
    counts_of,
    listed_counts,
    read_phrase,
)
from belief.boxes.fit_box_errors import BASE_UNSEEN, chance_seen, fit_unseen
from belief.boxes.next_box_question import BoxRules, next_step
from belief.boxes.proposers import NO_BOXES, ProgramBox, QualityAnswer, count_boxes, trust_of, with_reference
from belief.known_answers import IMAGINED_KNOWN, KnownAnswers
from belief.links.answer_model import PAPER_ERRORS
from belief.models.error_correlation import ErrorCorrelation
from belief.models.records import MIN_ANSWERS, NEW_BOX_MODEL, PERSON, BoxRecord
from belief.models.reference import NO_REFERENCE, Reference
from tests.support.table import case, row
from workers.rules.score import logit


@pytest.mark.parametrize("mean", [0.02, 0.116, 0.2])
def test_chains_differ_and_err_as_often_as_the_crowd_in_the_mean(mean: float) -> None:
    found = node_errors(mean)
    assert found.mean() == pytest.approx(mean)
    assert len(found) == NODES and list(found) == sorted(set(found))
    step = SPREAD * NormalDist().inv_cdf(5 / 6)
    assert logit(found[2]) - logit(found[1]) == pytest.approx(step)
    assert logit(found[1]) - logit(found[0]) == pytest.approx(step)


def test_a_skill_moves_the_logit_of_every_error_and_no_answer_says_the_opposite() -> None:
    careful, usual, careless = (node_errors(0.1, skill) for skill in (-1.5, 0.0, 0.5))
    for place in range(NODES):
        assert logit(careful[place]) == pytest.approx(logit(usual[place]) - 1.5)
        assert logit(careless[place]) == pytest.approx(logit(usual[place]) + 0.5)
    assert node_errors(0.3, 3.0).max() == MAX_ERROR < 0.5


def test_a_worker_draws_well_or_badly_or_finds_none() -> None:
    chance = drawing_chances(0.176, 0.5)
    assert chance.good + chance.bad + chance.none == pytest.approx(1)
    assert chance.needless == pytest.approx(1 - chance.good) and (chance.none < chance.bad).all()


def test_what_is_shared_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        node_errors(0.1)[0] = 0.5


def test_a_prior_survives_being_written_as_json() -> None:
    record = ProgramRecord((0.0, 1.5, 0.0, 0.0, 0.0, 2.0), (1.0,) * 6, agreed=(9.0, 1.0, 0.0, 3.0))
    weights = {"plural": (1.0, 2.0, 0.0, 0.0, 0.0, 1.0)}
    prior = BoxPrior({"scene": 0.75}, weights, {"quality": 0.2}, {"7": record}, 40, 2, 0.05)
    prior = replace(prior, pairs={"7 12": ErrorCorrelation(40.0, (3.0, 2.5), 1.0, 0.2, -1.5)})
    assert BoxPrior.from_json(json.loads(json.dumps(prior.to_json()))) == prior


def test_nothing_is_the_default_and_what_is_left_out_has_its_values() -> None:
    assert BoxPrior.from_json({}) is DEFAULT
    prior = BoxPrior.from_json({"none": {"scene": 0.75}})
    assert (prior.none_of("scene"), prior.none_of("people")) == (0.75, DEFAULT.none["people"])
    assert prior.counts_of("pair") == DEFAULT.counts["pair"]
    assert prior.error_of("coverage") == DEFAULT.errors["coverage"]


def test_the_default_knows_every_type_every_class_and_every_task() -> None:
    assert set(DEFAULT.none) == set(NOUN_TYPES) and set(DEFAULT.errors) == set(BoxTask)
    assert set(DEFAULT.counts) == set(PhraseClass)
    for weights in DEFAULT.counts.values():
        assert len(weights) == COUNT_CLASSES and sum(weights) == pytest.approx(1, abs=0.021)


ONE_NUMBER = {"programs": {"7": {"good": [], "bad": [], "numbers": [[1]]}}}
ONE_AGREED = {"programs": {"7": {"good": [], "bad": [], "agreed": [1.0]}}}
BAD_BOXER = {"model_annotators": {"7": {"bad": {"boxer": [1.0, 4.0]}}}}


@row({"none": {"scene": 1}}, "none['scene']=1 should be a number between 0 and 1")
@row({"none": {"scenes": 0.5}}, "none: the name 'scenes' should be one of: \"people\"")
@row({"counts": {"plural": [1.0] * 5}}, "should be 6 numbers, not all 0")
@row({"counts": {"plural": [0.0] * 6}}, "should be 6 numbers, not all 0")
@row({"counts": {"plural": [-1.0] * 6}}, "counts['plural'][0]=-1.0 should be a number from 0")
@row({"counts": {"many": [1.0] * 6}}, "counts: the name 'many' should be one of: \"one\"")
@row({"errors": {"quality": 0.0}}, "errors['quality']=0.0 should be a number between 0 and 1")
@row(ONE_NUMBER, "programs['7']['numbers']=[[1]] should be 4 rows of 4 numbers")
@row(ONE_AGREED, "programs['7']['agreed']=[1.0] should be 4 numbers")
@row({"programs": {"7": {"good": [1.0]}}}, "programs['7']['bad'] is missing")
@row({"model_annotators": {"boxer": {}}}, "model_annotators: the name 'boxer' should be the number of a program")
@row({"model_annotators": {"07": {}}}, "model_annotators: the name '07' should be the number of a program")
@row({"model_annotators": {"1" + "0" * 18: {}}}, "should be the number of a program")
@row(BAD_BOXER, "model_annotators['7']['bad']: the name 'boxer' should be \"person\" or the number of a program")
@row({"pairs": {"7": {}}}, "pairs: the name '7' should be the numbers of two programs")
@row({"fitted_on": -1}, "fitted_on=-1 should be a whole number from 0")
@row({"scores": {}}, "scores is unknown")
def test_a_wrong_value_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        BoxPrior.from_json(values)
    assert message in str(caught.value)


def counts(phrase: str, *types: str, prior: BoxPrior = DEFAULT) -> tuple[float, ...]:
    words = tuple(phrase.split())
    return counts_of(frozenset(types), words, words[-1], prior)


def test_the_chances_of_all_numbers_add_up_to_one() -> None:
    for phrase in ("a dog", "two dogs", "twenty dogs", "20 dogs", "some dogs", "blue jeans", "a crowd", "snow"):
        found = counts(phrase, "animals")
        assert len(found) == MAX_BOXES + 1 and min(found) > 0
        assert sum(found) == pytest.approx(1)


def test_a_named_number_is_the_likeliest() -> None:
    for phrase, likeliest in {"a dog": 1, "two dogs": 2, "3 dogs": 3, "20 dogs": MAX_BOXES}.items():
        found = counts(phrase, "animals")
        assert found.index(max(found)) == likeliest


def test_the_weights_are_those_of_the_class() -> None:
    prior = BoxPrior(none={"animals": 0.2}, counts={"plural": (2.0, 4.0, 1.0, 1.0, 1.0, 1.0)})
    found = counts("some dogs", "animals", prior=prior)
    assert found[:6] == pytest.approx((0.2, 0.16, 0.32, 0.08, 0.08, 0.08))
    assert sum(found[6:]) == pytest.approx(0.08)
    assert found[7] / found[6] == pytest.approx(TAIL)


def test_a_scene_has_often_no_box_and_a_chain_of_two_types_the_mean_of_both() -> None:
    assert counts("the park", "scene")[0] == 0.5
    assert counts("the park", "scene", "people")[0] == pytest.approx((0.5 + 0.02) / 2)
    assert counts("the park")[0] == DEFAULT.none_of("other")


def test_the_weights_of_a_number_stand_for_it_and_its_neighbours() -> None:
    assert listed_counts(PhraseReading(PhraseClass.NUMBER, 3)) == [3, 1, 2, 4, 5]
    assert listed_counts(PhraseReading(PhraseClass.NUMBER, 20)) == [12, 1, 11, 12, 12]
    assert listed_counts(PhraseReading(PhraseClass.PLURAL)) == [1, 2, 3, 4, 5]


MOSTLY_RIGHT = (30.0, 2.0)
GOOD = BoxRecord(MOSTLY_RIGHT, MOSTLY_RIGHT, MOSTLY_RIGHT, {PERSON: (20.0, 1.0), "7": (3.0, 17.0)})


def test_a_model_that_nobody_knows_says_nothing():
    assert NEW_BOX_MODEL.of_missing() == NEW_BOX_MODEL.of_box(PERSON) == GUESSES
    assert not BoxRecord(there=(MIN_ANSWERS - 1, 0.0)).is_known and BoxRecord(there=(MIN_ANSWERS, 0.0)).is_known


def test_errors_about_bad_boxes_are_those_about_boxes_of_the_same_source_or_without_answers_of_all():
    assert GOOD.of_box("7").miss > 0.6 > 0.2 > GOOD.of_box(PERSON).miss
    assert GOOD.of_box("7").false_alarm <= 1 - GOOD.of_box("7").miss
    assert GOOD.of_box("8").miss == pytest.approx(GOOD.wrong)


def test_a_wary_project_takes_a_model_for_blind_to_another_programs_errors_until_it_knows():
    plain, wary = (BoxRecord((95.0, 5.0), (95.0, 5.0), (95.0, 5.0), wary=wary) for wary in (False, True))
    assert plain.of_box("8").miss < 0.1 and wary.of_box("8").miss == pytest.approx(0.4)
    assert wary.of_box(PERSON) == plain.of_box(PERSON) and wary.of_missing() == plain.of_missing()
    assert replace(wary, bad={"8": (95.0, 5.0)}).of_box("8").miss < 0.1


def test_of_boxes_of_its_own_family_it_says_nothing_until_answers_show_what_it_sees():
    blind, seeing = GOOD.of_box("8", same_family=True), GOOD.of_box(PERSON, same_family=True)
    assert blind.miss + blind.false_alarm == pytest.approx(1), "it calls bad boxes good as often as good ones"
    assert GOOD.of_box(PERSON).miss < seeing.miss < blind.miss


READINGS = {
    "a dog": ("one", 1), "one of the men": ("one", 1), "car number 452": ("one", 1), "two dogs": ("number", 2),
    "both men": ("number", 2), "a couple": ("number", 2), "3 men": ("number", 3), "some dogs": ("plural", 1),
    "the children": ("plural", 1), "blue jeans": ("pair", 1), "two jeans": ("number", 2),
    "a crowd of people": ("group", 1), "green grass": ("mass", 1),
}  # fmt: skip


def test_a_phrase_is_read_by_its_number_its_group_word_or_its_head_and_the_head_need_not_be_the_last_word() -> None:
    found = {phrase: read_phrase(tuple(phrase.split()), phrase.split()[-1]) for phrase in READINGS}
    assert found == {phrase: PhraseReading(PhraseClass(kind), number) for phrase, (kind, number) in READINGS.items()}
    assert read_phrase(("dogs", "in", "grass"), "dogs").kind is PhraseClass.PLURAL


WRONG = 0.12


def judged(*said: bool, program: str = "7", score: float | None = None, skill: float = 0.0) -> ProgramBox:
    return ProgramBox(program, score, tuple(QualityAnswer(one, skill) for one in said))


def trust(boxes: list[ProgramBox], program: str = "7", score: float | None = None) -> float:
    return trust_of(program, score, BoxPrior(programs=count_boxes(boxes, WRONG)))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_wrong_answers_make_no_program_look_better_or_worse(share: float):
    random = Random(f"boxes {share}")
    boxes = []
    for _ in range(600):
        good = random.random() < share
        boxes.append(judged(*((random.random() >= WRONG) == good for _ in range(random.choice((1, 1, 2))))))
    assert trust(boxes) == pytest.approx(share, abs=0.06)


def test_boxes_that_nobody_judged_tell_nothing_and_the_word_of_a_careful_worker_weighs_more():
    assert count_boxes([judged()], WRONG) == {}
    assert trust([judged(True), judged()]) == trust([judged(True)])
    assert trust([judged(False, skill=-2.0)] * 3) < trust([judged(False, skill=2.0)] * 3) < 0.5


def test_a_program_is_trusted_by_its_scores():
    boxes = [judged(True, score=0.9)] * 20 + [judged(False, score=0.1)] * 20
    assert trust(boxes, score=0.95) > 0.8 > 0.3 > trust(boxes, score=0.05)
    assert trust(boxes, score=0.5) == pytest.approx(0.5, abs=0.05)
    assert trust(boxes, score=1.0) == trust(boxes, score=0.95)


def test_a_record_counts_every_judged_box_once():
    record = count_boxes([judged(True), judged(False, False), judged(True, score=0.3)], WRONG)["7"]
    assert [g + b for g, b in zip(record.good, record.bad, strict=True)] == pytest.approx([0, 1, 0, 0, 0, 2], abs=0.02)
    assert isinstance(record, ProgramRecord)


ENTITIES = Reference(50, 0.95)


def test_nothing_changes_where_nothing_is_checked_and_equal_priors_are_one_object():
    assert with_reference(DEFAULT, NO_REFERENCE) is DEFAULT
    assert with_reference(DEFAULT, ENTITIES) == with_reference(DEFAULT, Reference(50, 0.95))


LEARNED_BAD = replace(DEFAULT, programs={"50": ProgramRecord(NO_BOXES, (*NO_BOXES[:-1], 100.0))})
SHARE_KNOWN = ENTITIES._replace(wrong=(("", 0.0, 0.1),))
BEFORE = "a source is trusted as the requester says before anything is learned"
AFTER = "once the share of wrong labels is known the doubtful boxes that were judged count no more"


@case(BEFORE, "50", DEFAULT, ENTITIES, 0.945, 0.955)
@case("other programs are unknown", "51", DEFAULT, ENTITIES, 0.5, 0.5)
@case("bad boxes that were found lower the trust", "50", LEARNED_BAD, ENTITIES, 0.0, 0.7)
@case(AFTER, "50", LEARNED_BAD, SHARE_KNOWN, 0.915, 0.925)
def test_the_trust_in_a_source(program: str, prior: BoxPrior, source: Reference, least: float, most: float):
    assert least <= trust_of(program, None, with_reference(prior, source)) <= most


DREW = BoxAnswer(BoxTask.DRAWING, None, 0.0, 0)
COVERED = BoxAnswer(BoxTask.COVERAGE, BoxCoverage.ALL_THERE, 0.0, None, (0,))


WRONGLY = [KnownAnswers(1, 3)] * 10 + [KnownAnswers(4, 1)] * 65
RAISED = pytest.approx((10 + IMAGINED_KNOWN * BASE_UNSEEN) / (75 + IMAGINED_KNOWN), abs=1e-4)


@case("without known questions the share is the base", [[]], BASE_UNSEEN)
@case("without known questions the share is the given base", [[], 0.2], 0.2)
@case("a known question that most workers answered wrongly raises the share", [WRONGLY], RAISED)
@case("answers that have no majority do not count: two answers", [[KnownAnswers(0, 2)] * 50], BASE_UNSEEN)
@case("answers that have no majority do not count: a tie", [[KnownAnswers(2, 2)] * 50], BASE_UNSEEN)
def test_the_share_of_what_people_do_not_see(given: Any, share: object):
    assert fit_unseen(*given) == share


def test_each_box_is_one_more_thing_to_be_wrong_about():
    assert [chance_seen(0.1, boxes) for boxes in (0, 1)] == pytest.approx([0.81, 0.729])
    assert chance_seen(0.0, 5) == 1


def test_the_share_lowers_the_confidence_and_changes_no_question():
    heard = BoxEvidence((0.02, 0.93, 0.05), (DREW, COVERED))
    sure, humble = (next_step(heard, BoxRules(prior=BoxPrior(unseen=share))) for share in (0.0, 0.05))
    assert (humble.kind, humble.boxes) == (sure.kind, sure.boxes)
    assert humble.confidence == pytest.approx(sure.confidence * chance_seen(0.05, 1))
    assert humble.good[0] == pytest.approx(sure.good[0] * 0.95)


JUDGE = BoxTask.QUALITY


@pytest.mark.parametrize("crowd", [*DEFAULT.errors.values(), PAPER_ERRORS.mean, 0.15])
def test_a_worker_without_answers_or_as_good_as_the_crowd_is_like_all(crowd: float) -> None:
    assert skill(0.3, 0, crowd) == skill(0.2, -1, crowd) == 0
    assert skill(1 - crowd, 500, crowd) == pytest.approx(0, abs=1e-9)


def test_the_skill_is_that_of_own_errors_and_of_imagined_ones_as_the_crowd_s() -> None:
    prior, error = BoxPrior(errors={"quality": 0.1}), (0.5 * 60 + 0.1 * IMAGINED_ANSWERS) / (60 + IMAGINED_ANSWERS)
    assert skill(0.5, 60, prior.error_of(JUDGE)) == pytest.approx(logit(error) - logit(0.1))


def test_who_errs_more_has_a_higher_skill_and_more_so_the_more_answers_tell_it_but_none_beyond_the_largest() -> None:
    crowd = DEFAULT.error_of(JUDGE)
    by_accuracy = [skill(accuracy, 40, crowd) for accuracy in (1.0, 0.9, 0.7, 0.3)]
    by_answers = [skill(0.5, answers, crowd) for answers in (0, 5, 40, 400)]
    assert by_accuracy == sorted(set(by_accuracy)) and by_accuracy[0] < 0
    assert by_answers == sorted(set(by_answers))
    assert (skill(0.0, 10**6, crowd), skill(1.0, 10**6, crowd)) == (MAX_SKILL, -MAX_SKILL)
