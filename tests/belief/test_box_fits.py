"""Fits of the box prior: by finished chains, known questions and answers of models.
A worker's habit tells what to take off a drawn box, and how exact it is expected to be.
Habits are learned from what was drawn of known boxes, each pulled towards that of the crowd.
One box is made of several drawings: by the mean of the edges, who draws exactly weighing more.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import starmap
from random import Random

import pytest

from annotation.rules.box import Box, Drawing
from belief import habits
from belief.boxes.box_answers import BoxCoverage, BoxQuality, BoxRequirement, BoxTask
from belief.boxes.box_belief import BoxAnswer, BoxEvidence, believe_boxes
from belief.boxes.box_prior import DEFAULT, BoxPrior, ProgramRecord
from belief.boxes.fit_box_errors import fit_box_errors
from belief.boxes.fit_box_prior import (
    IMAGINED_CHAINS,
    FinishedChain,
    calibrate_boxes,
    fit_box_prior,
    forecast_of,
    with_box_models,
)
from belief.boxes.proposers import (
    NO_BOXES,
    ProgramBox,
    QualityAnswer,
    SecondOpinion,
    agreement_errors,
    count_agreements,
    count_numbers,
    with_predicted,
)
from belief.habits import (
    CROWD,
    IMAGINED_OF_CROWD,
    IMAGINED_OF_WORKER,
    NO_HABIT,
    Habit,
    KnownDrawing,
    edge_error,
    fit_habits,
    fuse,
    habit_of,
    likely_iou,
    pointing_error,
    without_habit,
)
from belief.known_answers import KnownAnswers
from belief.models.calibration import ALONE, BOTH, PEOPLE
from belief.models.fit import WINDOW
from belief.models.records import NO_ANSWERS, PERSON, BoxRecord
from tests.support.table import case, row


def prior_with(*agreed: float) -> BoxPrior:
    return replace(DEFAULT, programs={"7": ProgramRecord(NO_BOXES, NO_BOXES, agreed=agreed)})


def test_an_unknown_program_makes_a_box_that_it_proposed_too_likelier_and_one_that_errs_as_often_says_nothing():
    passed, alarm = agreement_errors("7", DEFAULT)
    assert passed < 1 - alarm
    assert agreement_errors("7", prior_with(30.0, 70.0, 80.0, 20.0)) == (0.5, 0.5)


def test_what_was_kept_and_dropped_says_how_much():
    rows = ((True, True, 90), (False, True, 10), (True, False, 2), (False, False, 48))
    opinions = [SecondOpinion("7", proposed, stayed) for proposed, stayed, times in rows for _ in range(times)]
    counts = count_agreements(opinions)
    assert counts == {"7": (90.0, 10.0, 2.0, 48.0)}
    assert agreement_errors("7", prior_with(*counts["7"])) == pytest.approx((2.8 / 58, 15 / 110))


ONE = (0.02, 0.93, 0.05)
MODEL, PROGRAM = "70", "7"
DREW, COVERED = BoxAnswer(BoxTask.DRAWING, None, box=0), BoxAnswer(BoxTask.COVERAGE, BoxCoverage.ALL_THERE, shown=(0,))
HALF = (0.5, 0.5)
"""The chances of a chain with no box, and with one."""


def votes(*boxes: int) -> BoxEvidence:
    """Make a chain whose workers find that it needs a box (1) or none (0)."""
    said = (BoxRequirement.NO_BOX, BoxRequirement.BOX)
    return BoxEvidence(HALF, tuple(BoxAnswer(BoxTask.REQUIREMENT, said[box]) for box in boxes))


def test_without_chains_the_errors_stay_and_what_was_given_pulls():
    assert fit_box_errors([], DEFAULT) == DEFAULT.errors
    given = BoxPrior(errors={"requirement": 0.3})
    assert 0.25 < fit_box_errors([votes(1, 1, 1, 1)], given)["requirement"] < 0.3


@case("they agree", [votes(1, 1, 1, 1), votes(0, 0, 0, 0)], False)
@case("one of four disagrees", [votes(1, 0, 1, 1), votes(0, 1, 0, 0)], True)
def test_the_error_of_a_task_follows_its_contradictions(chains: list[BoxEvidence], *, rises: bool):
    fitted = fit_box_errors(chains * 2, DEFAULT)
    assert (fitted["requirement"] > DEFAULT.error_of("requirement")) == rises
    assert all(fitted[task] == pytest.approx(DEFAULT.error_of(task), abs=1e-3) for task in ("quality", "coverage"))


def dogs(boxes: int, words: str = "a dog", *programs: ProgramBox) -> FinishedChain:
    said = tuple(words.split())
    return FinishedChain(frozenset({"animals"}), said, said[-1], tuple(range(boxes)), programs)


def test_without_chains_the_prior_stays_and_many_chains_leave_a_rest_of_doubt():
    assert fit_box_prior([]) is DEFAULT and fit_box_prior([dogs(1)] * 3000).none_of("animals") == 0.01


def test_a_share_is_that_of_the_chains_and_of_imagined_ones_as_given():
    given = BoxPrior(none={"animals": 0.5})
    fitted = fit_box_prior([dogs(1)] * 30 + [dogs(0)] * 10, given)
    assert fitted.none_of("animals") == pytest.approx((10 + 0.5 * IMAGINED_CHAINS) / (40 + IMAGINED_CHAINS), abs=1e-4)
    assert fitted.none_of("people") == pytest.approx(DEFAULT.none_of("people")) and fitted.fitted_on == 40


@row("a dog", 3, "one", 2)
@row("some dogs", 9, "plural", 5)
@row("four dogs", 4, "number", 0)
@row("four dogs", 3, "number", 2)
def test_chains_count_for_the_class_of_their_phrase(words: str, boxes: int, kind: str, place: int):
    fitted, before = fit_box_prior([dogs(boxes, words)] * 20).counts_of(kind), DEFAULT.counts_of(kind)
    more = [after > was / sum(before) for after, was in zip(fitted, before, strict=True)]
    assert more == [one == place for one in range(6)]


def test_chains_without_a_box_tell_nothing_of_how_many_others_have():
    assert fit_box_prior([dogs(0)] * 50).counts_of("one") == pytest.approx(DEFAULT.counts_of("one"), abs=1e-3)


def test_numbers_of_proposed_boxes_count_and_what_was_known_of_the_program_s_boxes_stays():
    known = ProgramRecord((0.0,) * 5 + (8.0,), (0.0,) * 5 + (2.0,))
    chains = [dogs(1)._replace(pre_annotated={"7": 1}), dogs(0)._replace(pre_annotated={"7": 0, "8": 0})]
    fitted = fit_box_prior(chains, BoxPrior(programs={"7": known}))
    assert fitted.programs["7"] == replace(known, numbers=((1, 0, 0, 0), (0, 1, 0, 0), (0,) * 4, (0,) * 4))
    assert sum(fitted.programs["8"].good) == 0
    assert BoxPrior.from_json(fitted.to_json()) == fitted


def test_boxes_of_programs_count_where_a_chain_needed_one():
    box = ProgramBox("7", None, (QualityAnswer(True),))
    fitted = fit_box_prior(list(starmap(dogs, [(0, "a dog", box), (1, "a dog", box)])))
    assert sum(fitted.programs["7"].good) + sum(fitted.programs["7"].bad) == pytest.approx(1)


def test_what_was_given_of_the_crowd_and_of_other_programs_stays():
    record = ProgramRecord((0.0,) * 5 + (9.0,), (0.0,) * 5 + (1.0,))
    given = BoxPrior(errors={"quality": 0.2}, programs={"3": record})
    fitted = fit_box_prior([dogs(1)], given)
    assert (fitted.errors, fitted.programs) == (given.errors, given.programs)


def test_errors_follow_answers_and_not_what_chains_ended_with():
    """One of three workers disagreed in each chain, and was outvoted."""
    said = votes(1, 0, 1).answers
    fitted = fit_box_prior([dogs(1)._replace(answers=said)] * 10)
    assert fitted.error_of("requirement") > DEFAULT.error_of("requirement") + 0.02


def test_what_programs_make_the_belief_say_of_the_audit_is_held_and_stored():
    by_model = COVERED._replace(model=MODEL)
    own = dogs(1)._replace(answers=(DREW, by_model, COVERED))
    fitted = fit_box_prior([own._replace(audited=True)] * 30 + [own] * 2)
    assert fitted.calibrations[MODEL].chains == fitted.calibrations[MODEL].forecasts == 30
    assert fitted.model_annotators[MODEL].wary and BoxPrior.from_json(fitted.to_json()) == fitted


def quality(*, good: bool, model: str | None = None, source: str = PERSON) -> BoxAnswer:
    return BoxAnswer(BoxTask.QUALITY, BoxQuality.GOOD if good else BoxQuality.BAD, box=0, model=model, maker=source)


def chain(*, good: bool, says: bool, source: str = PERSON, people: int = 3) -> BoxEvidence:
    """One box, judged by people, who agree, and by the model annotator."""
    drew = DREW._replace(trust=None if source == PERSON else 0.5)
    return BoxEvidence(ONE, (drew, *[quality(good=good)] * people, quality(good=says, model=MODEL, source=source)))


def chains(number: int, wrong: float, *, lot: bool = True, seed: int = 1) -> list[tuple[BoxEvidence, bool]]:
    draw, truths = Random(seed), [place % 2 == 0 for place in range(number)]
    return [(chain(good=good, says=good != (draw.random() < wrong)), lot) for good in truths]


def records(judged: list[tuple[BoxEvidence, bool]]) -> Mapping[str, BoxRecord]:
    return with_box_models(DEFAULT, judged).model_annotators


def test_errors_are_found_about_good_and_bad_boxes():
    record = records(chains(120, 0.1))[MODEL]
    for right, wrong in (record.good, record.bad[PERSON]):
        assert 0.02 < wrong / (right + wrong) < 0.2


def asked(*, needed: bool, says: bool) -> BoxEvidence:
    """A chain without a box of which people agree whether it needs one, and the model annotator was asked, too."""
    people, model = (BoxRequirement.BOX if yes else BoxRequirement.NO_BOX for yes in (needed, says))
    answers = [BoxAnswer(BoxTask.REQUIREMENT, people)] * 3 + [BoxAnswer(BoxTask.REQUIREMENT, model, model=MODEL)]
    return BoxEvidence((0.5, 0.5), tuple(answers))


def test_a_model_that_finds_what_is_not_there_errs_in_that_direction_alone_and_not_about_missing_boxes():
    draw, judged = Random(4), chains(40, 0.05)
    for place in range(80):
        needed = place % 2 == 0
        judged.append((asked(needed=needed, says=needed or draw.random() < 0.6), True))
    record = records(judged)[MODEL]
    errors = record.of_requirement()
    assert errors.miss < 0.15 and 0.45 < errors.false_alarm < 0.75
    assert record.of_missing().false_alarm < 0.4 and record.missing == record.there == NO_ANSWERS

    prior = replace(DEFAULT, model_annotators={MODEL: record})
    alone = [BoxEvidence((0.5, 0.5), asked(needed=True, says=says).answers[-1:]) for says in (False, True)]
    denied, affirmed = (believe_boxes(evidence, prior).p_no_box for evidence in alone)
    assert denied > 0.8 and affirmed > 0.3, "what it denies is absent, what it affirms may be, too"


def test_a_program_that_sees_with_the_eyes_of_another_is_found_by_the_source_of_the_box():
    blind = [(chain(good=False, says=True, source=PROGRAM), True)] * 20
    record = records(Random(3).sample([*chains(80, 0.05), *blind], 100))[MODEL]
    assert record.of_box(PROGRAM).miss > 0.6 and record.of_box(PERSON).miss < 0.2


def test_only_the_audit_tells_how_often_it_errs_and_what_nobody_else_judged_tells_nothing():
    assert records(chains(50, 0.5, lot=False))[MODEL].answers == 0 and records([]) == {}
    alone = BoxEvidence(ONE, (DREW, quality(good=True, model=MODEL)))
    assert records([(alone, True)]) == {}


@pytest.mark.parametrize("lot", [True, False], ids=["in the audit", "outside the audit"])
def test_a_model_that_turns_is_judged_by_what_it_said_since(*, lot: bool):
    before, after = chains(WINDOW, 0.05, lot=lot), chains(2 * WINDOW, 0.5, lot=lot, seed=2)
    record = records([*before, *after])[MODEL]
    assert record.answers <= 2 * WINDOW and record.of_box(PERSON).false_alarm > 0.3


@pytest.mark.parametrize("alike", [False, True], ids=["apart", "alike"])
def test_two_models_are_apart_unless_they_err_about_the_same_boxes(*, alike: bool):
    draw = Random(2)

    def judged(place: int) -> BoxEvidence:
        errs = [draw.random() < 0.25, draw.random() < 0.25]
        says = [(place % 2 == 0) != wrong for wrong in ([errs[0]] * 2 if alike else errs)]
        one = chain(good=place % 2 == 0, says=says[0])
        return one._replace(answers=(*one.answers, quality(good=says[1], model="8")))

    (pair,) = with_box_models(DEFAULT, [(judged(place), True) for place in range(120)]).pairs.values()
    assert (pair.are_apart, pair.are_shared) == (not alike, alike)


NINE_OF_TEN = BoxRecord((90.0, 10.0), (90.0, 10.0), (90.0, 10.0), {PERSON: (90.0, 10.0), PROGRAM: (90.0, 10.0)})
PRIOR = replace(DEFAULT, model_annotators={MODEL: NINE_OF_TEN})


def coverage(*, there: bool, model: str | None = None) -> BoxAnswer:
    return COVERED._replace(answer=BoxCoverage.ALL_THERE if there else BoxCoverage.MORE_NEEDED, model=model)


PROPOSED = DREW._replace(trust=0.7)


def held_chain(*, good: bool, says: bool, people: int = 3, wrong: float = 0.12, seed: int = 0) -> BoxEvidence:
    """A proposed box that the model annotator judges, and then people, who err."""
    draw = Random(seed)
    by_model = quality(good=says, model=MODEL, source=PROGRAM), coverage(there=says, model=MODEL)
    by_people = [quality(good=good != (draw.random() < wrong), source=PROGRAM) for _ in range(people)]
    return BoxEvidence(ONE, (PROPOSED, *by_model, *by_people, COVERED))


def lot(number: int, *, bad: float, fooled: float) -> list[BoxEvidence]:
    """`bad`: the share of bad boxes; `fooled`: of these, the share that the model annotator calls good."""
    draw, found = Random(5), []
    for place in range(number):
        good = draw.random() >= bad
        found.append(held_chain(good=good, says=good or draw.random() < fooled, seed=place))
    return found


def test_a_model_whose_errors_are_those_of_its_record_counts_in_full():
    prior = calibrate_boxes(PRIOR, lot(80, bad=0.3, fooled=0.1))
    held = prior.calibrations[MODEL]
    assert prior.model_annotators[MODEL].weight == 1 and held.chains == 80 and 0 < held.forecasts < 80
    assert 0.9 <= held.mean_chance <= held.high and held.right > 0.95
    assert prior.calibrations[BOTH] == held and prior.calibrations[ALONE].forecasts and PEOPLE not in prior.calibrations


def test_a_model_that_is_fooled_more_often_counts_less_until_it_is_not_and_a_few_chains_change_nothing():
    prior = calibrate_boxes(PRIOR, lot(40, bad=0.5, fooled=0.9))
    assert prior.calibrations[MODEL].is_too_sure and prior.model_annotators[MODEL].weight < 0.6
    again = calibrate_boxes(prior, lot(30, bad=0.3, fooled=0.1))
    assert again.model_annotators[MODEL].weight == 1 and not again.calibrations[MODEL].is_too_sure
    assert calibrate_boxes(PRIOR, lot(8, bad=0.4, fooled=0.9)).model_annotators[MODEL].weight == 1


def test_only_chains_that_models_and_people_judged_are_claims():
    alone, whole = held_chain(good=True, says=True, people=0), held_chain(good=True, says=True)
    unasked = BoxEvidence(ONE, alone.answers[:-1])
    assert forecast_of(whole, PRIOR, [MODEL], people=True) and not forecast_of(unasked, PRIOR, [MODEL], people=True)
    assert forecast_of(whole, PRIOR, [], people=True) is None
    by_people = BoxEvidence(ONE, (PROPOSED, quality(good=True, source=PROGRAM)))
    assert calibrate_boxes(PRIOR, [by_people]).calibrations[MODEL].chains == 0


def test_programs_alone_claim_nothing_after_a_persons_answer():
    first = BoxEvidence(ONE, (coverage(there=True), *held_chain(good=True, says=True).answers))
    assert forecast_of(first, PRIOR, [MODEL], people=False) is None
    assert forecast_of(held_chain(good=True, says=True), PRIOR, [MODEL], people=False)


def test_people_who_drop_a_box_show_the_claim_to_be_wrong():
    told = held_chain(good=False, says=True, wrong=0.0)
    drawn = DREW._replace(box=1)
    later = BoxEvidence(ONE, (*told.answers[:-1], drawn, COVERED._replace(shown=(1,))))
    for one in (told, later):
        claim = forecast_of(one, PRIOR, [MODEL], people=True)
        assert claim is not None and claim.ratio < 0.2


def test_what_is_answered_after_a_box_was_dropped_is_about_something_else():
    told = held_chain(good=True, says=True, wrong=0.0)
    dropped = BoxEvidence(ONE, (*told.answers, DREW._replace(box=1), coverage(there=True)))
    claims = [forecast_of(one, PRIOR, [MODEL], people=True) for one in (told, dropped)]
    assert claims[0] == claims[1] and claims[0] is not None and claims[0].ratio > 5


def test_people_alone_are_held_against_known_questions():
    fine, wrong = KnownAnswers(4, 0), KnownAnswers(0, 4)
    held = calibrate_boxes(DEFAULT, [], [fine] * 190 + [wrong] * 10 + [KnownAnswers(1, 0)] * 50).calibrations
    assert set(held) == {PEOPLE} and held[PEOPLE].forecasts == 200
    assert held[PEOPLE].right == pytest.approx(0.95, abs=0.01) and held[PEOPLE].is_too_sure


COUNTS = (0.25, 0.5, 0.125, 0.0625, 0.0625)
CAREFUL = [(0, 0)] * 20 + [(1, 1)] * 70 + [(2, 2)] * 10


def prior(chains: list[tuple[int, int]]) -> BoxPrior:
    numbers = count_numbers((boxes, {"7": pre_annotated}) for boxes, pre_annotated in chains)
    return BoxPrior(programs={"7": ProgramRecord(NO_BOXES, NO_BOXES, numbers["7"])})


def test_chains_are_counted_by_the_number_of_their_boxes_and_of_the_proposed_ones():
    rows = count_numbers([(0, {"7": 0, "8": 1}), (1, {"7": 1}), (5, {"7": 9}), (5, {"7": 3}), (2, {})])
    assert rows["7"] == ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 2))
    assert sum(map(sum, rows["8"])) == 1


def test_what_a_program_that_is_mostly_right_proposed_becomes_likely_and_larger_numbers_keep_their_shares():
    none, one, two = (with_predicted(COUNTS, {"7": number}, prior(CAREFUL)) for number in range(3))
    assert none[0] > 0.6 > 0.15 > one[0]
    assert two[2] > 2 * COUNTS[2] and two[3] == two[4] and sum(two) == pytest.approx(1)


def test_a_program_that_proposes_the_same_whatever_a_chain_needs_or_of_which_nothing_is_known_tells_nothing():
    always_one = prior([(0, 1)] * 200 + [(1, 1)] * 700 + [(2, 1)] * 100)
    assert with_predicted(COUNTS, {"7": 1}, always_one) == pytest.approx(COUNTS, rel=0.01)
    assert with_predicted(COUNTS, {"8": 0}, prior(CAREFUL)) == COUNTS
    assert with_predicted(COUNTS, {"7": 0}, BoxPrior(programs={"7": ProgramRecord(NO_BOXES, NO_BOXES)})) == COUNTS
    assert with_predicted(COUNTS, {}, prior(CAREFUL)) == COUNTS


def test_few_chains_tell_less_than_many_and_two_programs_that_agree_make_surer_than_one():
    after = [with_predicted(COUNTS, {"7": 0}, prior(CAREFUL * times))[0] for times in (1, 10, 100)]
    assert COUNTS[0] < after[0] < after[1] < after[2] < 0.95
    both = count_numbers((boxes, {"7": number, "8": number}) for boxes, number in CAREFUL)
    known = BoxPrior(programs={name: ProgramRecord(NO_BOXES, NO_BOXES, rows) for name, rows in both.items()})
    assert with_predicted(COUNTS, {"7": 0, "8": 0}, known)[0] > with_predicted(COUNTS, {"7": 0}, known)[0]


WIDE = Habit((0.1, 0.0, -0.1, 0.05), 0.06)


def test_a_worker_without_a_habit_of_their_own_has_that_of_the_crowd_and_an_expert_none():
    habits = {CROWD: WIDE, "7": NO_HABIT}
    assert [habit_of(worker, habits) for worker in (7, 8, None)] == [NO_HABIT, WIDE, NO_HABIT]
    assert habit_of(8, {}) == NO_HABIT


def test_a_habit_is_taken_off_in_shares_of_the_sides():
    assert without_habit(Box(100, 50, 300, 90), WIDE) == pytest.approx((120, 50, 280, 92))


def test_edges_of_small_boxes_and_of_careless_workers_are_farther_off():
    small, large = Box(0, 0, 20, 20), Box(0, 0, 400, 400)
    assert edge_error(large, NO_HABIT) == NO_HABIT.spread + pointing_error(large)
    assert likely_iou(small, NO_HABIT) < likely_iou(large, WIDE) < likely_iou(large, NO_HABIT) < 1
    assert likely_iou(Box(0, 0, 1, 1), WIDE) == 0


TRUE, WIDE_BOX = Box(120, 100, 280, 500), Box(100, 100, 300, 500)
EXACT, ROOMY = [KnownDrawing(1, TRUE, TRUE)] * 30, [KnownDrawing(2, WIDE_BOX, TRUE)] * 30


def test_without_known_drawings_there_are_no_habits_and_one_drawing_changes_little():
    assert fit_habits([]) == {}
    habits = fit_habits(ROOMY[:1])
    assert habits["2"].edges[0] < 0.015
    assert habits[CROWD].spread == pytest.approx(NO_HABIT.spread, abs=0.002)


def test_a_worker_s_room_around_things_is_learned_in_shares_of_what_was_drawn():
    habits = fit_habits([*EXACT, *ROOMY])
    left, top, right, bottom = habits["2"].edges
    assert 0.08 < left < 0.1 and -0.1 < right < -0.08 and (top, bottom) == (0, 0)
    crowd = 0.1 * len(ROOMY) / (len(EXACT) + len(ROOMY) + IMAGINED_OF_CROWD)
    assert habits[CROWD].edges[0] == pytest.approx(crowd, abs=1e-4)
    assert habits["1"].edges[0] == pytest.approx(
        crowd * IMAGINED_OF_WORKER / (len(EXACT) + IMAGINED_OF_WORKER), abs=1e-4
    )


def test_who_scatters_has_the_larger_spread():
    shaky = [KnownDrawing(3, Box(120 + skill, 100, 280 + skill, 500), TRUE) for skill in (-30, 30) * 15]
    habits = fit_habits([*EXACT, *shaky])
    assert habits["1"].spread < habits[CROWD].spread < habits["3"].spread


def test_what_lies_far_off_is_no_habit():
    far = KnownDrawing(4, Box(0, 100, 280, 500), Box(200, 100, 280, 500))
    assert fit_habits([far])[CROWD].edges[0] == pytest.approx(habits.MAX_SHIFT / (1 + IMAGINED_OF_CROWD), abs=1e-4)


def test_only_those_with_the_most_drawings_have_a_habit_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(habits, "MAX_WORKERS", 1)
    assert set(fit_habits([*EXACT, *ROOMY[:3]])) == {CROWD, "1"}


EXACT_BOX, CARELESS = Habit(spread=0.02), Habit(spread=0.2)
FIRST, SECOND = Drawing(1, 7, Box(100, 100, 200, 300)), Drawing(2, 8, Box(111, 100, 211, 320))


MARGIN, NARROW = Habit((0.1, 0.05, -0.1, 0.0)), Habit((-0.2, -0.2, 0.2, 0.2))
THIN = Habit((0.49, 0.49, -0.49, -0.49))
PIXEL = Drawing(1, 7, Box(5, 5, 6, 6))
MIDDLE = "workers who are equally exact meet in the middle rounded half up"


@case("one drawing of a worker whose habit nobody knows stays", [FIRST], {}, FIRST.box)
@case(MIDDLE, [FIRST, SECOND], {}, Box(106, 100, 206, 310))
@case("the margin that a worker usually leaves is taken off", [FIRST], {"7": MARGIN}, Box(110, 110, 190, 300))
@case("no edge leaves what was drawn", [FIRST], {"7": NARROW}, FIRST.box)
@case("every box has a pixel", [PIXEL], {"7": THIN}, PIXEL.box)
def test_the_box_that_is_made_of_drawings(drawings: list[Drawing], habits: dict[str, Habit], box: Box):
    assert fuse(drawings, habits) == box


def test_who_draws_more_exactly_weighs_more_whoever_came_first():
    assert fuse([FIRST, SECOND], {"7": EXACT_BOX, "8": CARELESS}).x0 == 100
    assert fuse([SECOND, FIRST], {"7": CARELESS, "8": EXACT_BOX}).x0 == 111
