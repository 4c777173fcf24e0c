"""The belief about a chain's boxes, against every way it could have been."""

from math import exp, log

import pytest

from pipeline.rules.boxing.belief.box_belief import TRACKED, BoxAnswer, BoxEvidence, believe
from pipeline.rules.boxing.prior.box_prior import DEFAULT
from pipeline.rules.boxing.prior.count_prior import counts_of
from pipeline.rules.tasks.task import Task
from tests.support.brute_force_boxes import all_ways, ways_and_answers
from tests.support.lines_run import lines_run

COUNTS = (0.2, 0.4, 0.25, 0.1, 0.05)


def requirement(vote: int, shift: float = 0.0) -> BoxAnswer:
    return BoxAnswer(Task.BOX_REQUIREMENT, vote, shift)


def drew(box: int | None, *shown: int, shift: float = 0.0, trust: float | None = None) -> BoxAnswer:
    return BoxAnswer(Task.BOX_DRAWING, None, shift, box, shown, trust)


def judged(box: int, answer: str, *shown: int, shift: float = 0.0) -> BoxAnswer:
    return BoxAnswer(Task.BOX_QUALITY, answer, shift, box, shown)


def covered(answer: str, *shown: int, shift: float = 0.0) -> BoxAnswer:
    return BoxAnswer(Task.BOX_COVERAGE, answer, shift, None, shown)


STORIES = {
    "votes for no box": [requirement(1), requirement(2), drew(None), requirement(3, shift=-1.0)],
    "one box": [drew(0), judged(0, "good", 0), covered("all there", 0)],
    "two workers disagree": [drew(0), judged(0, "bad", 0), judged(0, "good", 0, shift=0.7), requirement(2)],
    "a good box is dropped": [drew(0), judged(0, "bad", 0), drew(1), judged(1, "good", 1), covered("more needed", 1)],
    "several": [drew(4), drew(5, 4), covered("more needed", 4, 5), drew(6, 4, 5), judged(5, "bad", 4, 5, 6)],
    "one of several is dropped": [drew(4), drew(5, 4), judged(4, "bad", 4, 5), drew(6, 5), covered("all there", 5, 6)],
    "a program's box": [drew(0, trust=0.6), drew(1, 0, trust=0.9), covered("all there", 0, 1), judged(1, "good", 0, 1)],
    "needless drawings": [drew(None), drew(0), drew(None, 0, shift=1.2), drew(1, 0)],
}


@pytest.mark.parametrize("answers", STORIES.values(), ids=STORIES)
def test_the_filter_agrees_with_all_ways_it_could_have_been(answers: list[BoxAnswer]) -> None:
    belief = believe(BoxEvidence(COUNTS, tuple(answers)))
    ways = all_ways(COUNTS, answers)
    shown = belief.shown
    assert belief.p_missing == pytest.approx(sum(way.chance for way in ways if way.missing(shown)))
    assert belief.p_no_box == pytest.approx(sum(way.chance for way in ways if not way.boxes))
    whole = [way for way in ways if not way.missing(shown) and all(way.is_good(box) for box in shown)]
    assert belief.p_complete == pytest.approx(sum(way.chance for way in whole))
    for box in shown:
        assert belief.p_good(box) == pytest.approx(sum(way.chance for way in ways if way.is_good(box)))


@pytest.mark.parametrize("answers", STORIES.values(), ids=STORIES)
def test_the_chance_of_all_answers_is_that_of_all_ways_together(answers: list[BoxAnswer]) -> None:
    together = sum(way.chance for way in ways_and_answers(COUNTS, answers))
    assert believe(BoxEvidence(COUNTS, tuple(answers))).log_chance == pytest.approx(log(together))


@pytest.mark.parametrize("answers", STORIES.values(), ids=STORIES)
def test_dropping_a_box_makes_its_entity_missing_again(answers: list[BoxAnswer]) -> None:
    belief = believe(BoxEvidence(COUNTS, tuple(answers)))
    for box in belief.shown:
        rest = [one for one in belief.shown if one != box]
        missing = sum(way.chance for way in all_ways(COUNTS, answers) if way.missing(rest))
        assert belief.without([box]).p_missing == pytest.approx(missing)
        assert belief.without([box]).shown == tuple(rest)


def test_an_answer_of_a_careful_worker_says_more() -> None:
    chances = [
        believe(BoxEvidence(COUNTS, (drew(0), judged(0, "good", 0, shift=shift)))).p_good(0)
        for shift in (-1.0, 0.0, 1.0)
    ]
    assert chances == sorted(chances, reverse=True)


def test_the_second_answer_that_agrees_says_less_than_the_first() -> None:
    ratios = []
    for times in range(3):
        chance = believe(BoxEvidence((0.5, 0.5), (requirement(1),) * times)).p_no_box
        ratios.append((1 - chance) / chance)
    assert ratios[1] / ratios[0] > ratios[2] / ratios[1] > 1


def crowd(boxes: int) -> list[BoxAnswer]:
    """Boxes drawn one after the other, each judged good once."""
    answers = []
    for box in range(boxes):
        shown = tuple(range(box))
        answers += [drew(box, *shown), judged(box, "good", *shown, box)]
    return answers


def test_a_crowd_of_boxes_stays_small_and_near_what_is_exact() -> None:
    counts = counts_of(frozenset({"people"}), ("a", "crowd"), "crowd", DEFAULT)
    belief = believe(BoxEvidence(counts, tuple(crowd(11))))
    assert len(belief.boxes) == TRACKED and len(belief.shown) == 11
    assert belief.table.size < 5000
    assert all(belief.p_good(box) > 0.9 for box in belief.shown)
    few = believe(BoxEvidence(counts, (*crowd(8), judged(0, "bad", *range(8)))))
    assert few.p_good(0) < few.p_good(1)


def test_boxes_weighed_apart_can_be_judged_and_dropped() -> None:
    counts = counts_of(frozenset({"people"}), ("a", "crowd"), "crowd", DEFAULT)
    belief = believe(BoxEvidence(counts, tuple(crowd(9))))
    apart = belief.settled[0][0]
    bad = belief.after(judged(apart, "bad", *range(9)))
    assert bad.p_good(apart) < belief.p_good(apart)
    good = belief.after(judged(apart, "good", *range(9)))
    assert exp(bad.log_chance) + exp(good.log_chance) == pytest.approx(exp(belief.log_chance))
    assert belief.without([apart]).p_missing > belief.p_missing
    assert apart not in belief.without([apart]).shown
    assert belief.p_no_box < 1e-9


def test_a_box_that_is_not_shown_has_no_chance() -> None:
    with pytest.raises(KeyError, match="Box 7 is not shown"):
        believe(BoxEvidence(COUNTS, (drew(0),))).p_good(7)


def test_an_answer_about_links_is_refused() -> None:
    with pytest.raises(ValueError, match="coreference link is not a box task"):
        believe(BoxEvidence(COUNTS, (BoxAnswer(Task.COREFERENCE_LINK, "yes"),)))


def test_a_usual_chain_takes_few_steps_and_each_further_box_as_many_again() -> None:
    """555 lines take a third of a millisecond, and a campaign asks for a belief before each question."""

    def steps(boxes: int) -> int:
        evidence = BoxEvidence(COUNTS, tuple(crowd(boxes)))
        return lines_run(lambda: believe(evidence))

    steps(4)  # computes what is kept for all
    one, two, three, four = map(steps, (1, 2, 3, 4))
    assert two < 1000
    assert max(two - one, three - two, four - three) < 500
