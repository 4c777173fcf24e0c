"""The belief about a chain's boxes and the worth of questions, by brute force; the next step."""

from collections.abc import Callable, Iterator, Sequence
from math import exp, log
from typing import NamedTuple

import pytest

from belief.boxes.box_answers import (
    NODES,
    NONE_THOUGH_MISSING,
    WRONG_TO_BOX,
    BoxCoverage,
    BoxQuality,
    BoxRequirement,
    BoxTask,
    node_errors,
)
from belief.boxes.box_belief import MAX_TRACKED, BoxAnswer, BoxEvidence, believe_boxes
from belief.boxes.box_prior import DEFAULT, counts_of
from belief.boxes.next_box_question import (
    ANSWERS_PER_BOX,
    CHECK_SECONDS,
    NONE_SECONDS,
    RIGHT_IF_DRAWN,
    RIGHT_IF_NONE,
    SECONDS,
    BoxMove,
    BoxQuestion,
    BoxRules,
    OfferedBox,
    look_ahead,
    next_step,
    value_of,
)
from tests.support.lines_run import lines_run
from tests.support.table import case


class Way(NamedTuple):
    """One way in which all could have been, and its chance together with the answers."""

    chance: float
    node: int
    boxes: int
    """The true number of boxes."""
    entity: tuple[tuple[int, int | None], ...] = ()
    """For each drawn box, the entity that it shows; None: a bad box."""

    def missing(self, shown: Sequence[int]) -> list[int]:
        there = {entity for box, entity in self.entity if box in shown}
        return [one for one in range(self.boxes) if one not in there]

    def is_good(self, box: int) -> bool:
        return (box, None) not in self.entity


def all_ways(counts: Sequence[float], answers: Sequence[BoxAnswer]) -> list[Way]:
    """Return every way that the answers allow; the chances add up to 1."""
    ways = ways_and_answers(counts, answers)
    total = sum(way.chance for way in ways)
    return [way._replace(chance=way.chance / total) for way in ways]


def ways_and_answers(counts: Sequence[float], answers: Sequence[BoxAnswer]) -> list[Way]:
    """Return every way that the answers allow; the chances add up to that of the answers."""
    ways = [Way(chance / NODES, node, boxes) for boxes, chance in enumerate(counts) for node in range(NODES)]
    for answer in answers:
        ways = ways_after(ways, answer)
    return ways


def ways_after(ways: Sequence[Way], answer: BoxAnswer) -> list[Way]:
    """Return every way that one more answer allows, each with its chance together with this answer."""
    return [after for way in ways for after in _after(way, answer) if after.chance]


def _after(way: Way, answer: BoxAnswer) -> Iterator[Way]:
    wrong = float(node_errors(DEFAULT.error_of(answer.task), answer.skill)[way.node])
    missing = way.missing(answer.shown)
    match answer.task:
        case BoxTask.REQUIREMENT:
            box = 1 - wrong if way.boxes else wrong * WRONG_TO_BOX
            yield way._replace(chance=way.chance * (box if answer.alarmed else 1 - box))
        case BoxTask.DRAWING:
            yield from _drawn(way, answer, wrong, missing)
        case BoxTask.QUALITY:
            assert answer.box is not None
            right = way.is_good(answer.box) != answer.alarmed
            yield way._replace(chance=way.chance * (1 - wrong if right else wrong))
        case BoxTask.COVERAGE:
            right = (not missing) != answer.alarmed
            yield way._replace(chance=way.chance * (1 - wrong if right else wrong))


def _drawn(way: Way, answer: BoxAnswer, wrong: float, missing: list[int]) -> Iterator[Way]:
    if answer.box is None:
        none = wrong * NONE_THOUGH_MISSING if missing else 1 - wrong
        yield way._replace(chance=way.chance * none)
        return
    if answer.trust is not None:
        good, bad = answer.trust, 1 - answer.trust
    else:
        good, bad = 1 - wrong, wrong * (1 - NONE_THOUGH_MISSING)
    if not missing:
        bad = wrong if answer.trust is None else 1.0
    yield way._replace(chance=way.chance * bad, entity=(*way.entity, (answer.box, None)))
    for one in missing:
        yield way._replace(chance=way.chance * good / len(missing), entity=(*way.entity, (answer.box, one)))


def plain_worth(
    ways: Sequence[Way], shown: tuple[int, ...], price: float, *, requirement: bool, depth: int = 2
) -> dict[BoxQuestion, float]:
    """Return what each question is worth. `requirement`: whether that task is weighed. `shown`: at most two boxes."""
    found = {}
    for question, answers in _questions(shown, requirement=requirement).items():
        worth = -price * SECONDS[question.task] * sum(way.chance for way in ways)
        for answer in answers:
            after = ways_after(ways, answer)
            boxes = shown if answer.task is not BoxTask.DRAWING or answer.box is None else (*shown, answer.box)
            worths = list(plain_ends(after, boxes, price))
            if depth > 1:
                worths += plain_worth(after, boxes, price, requirement=requirement, depth=depth - 1).values()
            worth += max(worths)
        found[question] = worth
    return found


def plain_ends(ways: Sequence[Way], shown: tuple[int, ...], price: float) -> list[float]:
    """Return what it is worth to stop now, or to go on in one plain way; the last is to go on drawing."""

    def mean(worth: Callable[[Way], float]) -> float:
        return sum(way.chance * worth(way) for way in ways)

    def going_on(way: Way, boxes: Sequence[int]) -> float:
        """Return the worth of drawing all that is missing beside good `boxes`."""
        if not all(way.is_good(box) for box in boxes):
            return 0.0
        missing = len(way.missing(boxes))
        if missing:
            return max(0.0, RIGHT_IF_DRAWN**missing - price * CHECK_SECONDS)
        if shown:
            return RIGHT_IF_DRAWN - price * SECONDS[BoxTask.DRAWING]
        return RIGHT_IF_NONE - price * NONE_SECONDS

    def right(way: Way, boxes: Sequence[int]) -> bool:
        return all(way.is_good(box) for box in boxes) and not way.missing(boxes)

    def judging(way: Way, box: int, others: Sequence[int]) -> float:
        if not all(way.is_good(other) for other in others):
            return 0.0
        wrong, paid = DEFAULT.error_of("quality"), price * SECONDS[BoxTask.QUALITY]
        if way.is_good(box):
            return (1 - wrong) * going_on(way, shown) + wrong * going_on(way, others) - paid
        return (1 - wrong) * going_on(way, others) - paid

    ends = [mean(lambda way: not way.boxes)]
    if shown:
        ends.append(mean(lambda way: right(way, shown)))
    for box in shown:
        others = [one for one in shown if one != box]
        ends.append(mean(lambda way, others=others: going_on(way, others)))  # type: ignore[misc]
        if others:
            ends.append(mean(lambda way, box=box, others=others: not way.is_good(box) and right(way, others)))  # type: ignore[misc]
        ends.append(mean(lambda way, box=box, others=others: judging(way, box, others)))  # type: ignore[misc]
    ends.append(mean(lambda way: going_on(way, shown)))
    return ends


def _questions(shown: tuple[int, ...], *, requirement: bool) -> dict[BoxQuestion, list[BoxAnswer]]:
    """Return the answers to each question that can be asked."""
    found = {DRAW: [drew(box, *shown) for box in (None, len(shown))]}
    if requirement:
        found[BoxQuestion(BoxTask.REQUIREMENT)] = [VOTE, AGAINST]
    if shown:
        found[COVER] = [covered(one, *shown) for one in BoxCoverage]
    for box in shown:
        found[BoxQuestion(BoxTask.QUALITY, box)] = [judged(box, one, *shown) for one in BoxQuality]
    return found


ONE, PARK = (0.02, 0.93, 0.05), (0.6, 0.35, 0.05)
RULES = BoxRules()
GOOD, BAD = BoxQuality
THERE, MORE = BoxCoverage


def vote(answer: BoxRequirement, skill: float = 0.0) -> BoxAnswer:
    return BoxAnswer(BoxTask.REQUIREMENT, answer, skill)


def drew(box: int | None, *shown: int, skill: float = 0.0, trust: float | None = None) -> BoxAnswer:
    return BoxAnswer(BoxTask.DRAWING, None, skill, box, shown, trust)


def judged(box: int, answer: BoxQuality, *shown: int, skill: float = 0.0) -> BoxAnswer:
    return BoxAnswer(BoxTask.QUALITY, answer, skill, box, shown)


def covered(answer: BoxCoverage, *shown: int) -> BoxAnswer:
    return BoxAnswer(BoxTask.COVERAGE, answer, 0.0, None, shown)


VOTE, AGAINST, COVERED = vote(BoxRequirement.BOX), vote(BoxRequirement.NO_BOX), covered(THERE, 0)
SETTLED = (drew(0), judged(0, GOOD, 0), COVERED)


def test_a_chain_whose_boxes_are_sure_is_complete_with_the_chance_that_all_is_right() -> None:
    evidence = BoxEvidence(ONE, SETTLED)
    step, belief = next_step(evidence, RULES), believe_boxes(evidence)
    assert (step.kind, step.boxes) == (BoxMove.COMPLETE, (0,))
    assert step.confidence == belief.p_complete > 0.9
    assert (step.p_no_box, step.p_missing, step.good) == (belief.p_no_box, belief.p_missing, {0: belief.p_good(0)})


COVERED_ONCE, UNSURE, PERHAPS_TWO = (drew(0), COVERED), (VOTE, AGAINST) * 2, (0.02, 0.6, 0.38)
TWO_NEEDED, ONE_FOUND = (0.01, 0.02, 0.97), (drew(0), judged(0, GOOD, 0))
DOUBTED = (drew(0), *(judged(0, reply, 0) for reply in (GOOD, BAD) * 2))
HARDLY = (0.97, 0.03)


@case("a chain begins with drawing", ONE, (), RULES, None, BoxTask.DRAWING)
@case("one that may have no box begins with the question", PARK, (), RULES, None, BoxTask.REQUIREMENT)
@case("little sureness is enough", ONE, COVERED_ONCE, BoxRules(sure=0.8), None, BoxMove.COMPLETE)
@case("the surer it has to be, the more is asked", ONE, COVERED_ONCE, BoxRules(sure=0.999), None, BoxTask.QUALITY)
@case("a box that is surely missing is drawn", TWO_NEEDED, ONE_FOUND, RULES, None, BoxTask.DRAWING)
@case("however dear a second is", TWO_NEEDED, ONE_FOUND, BoxRules(sure=0.0), None, BoxTask.DRAWING)
@case("one vote against a box is not enough", HARDLY, (AGAINST,), RULES, None, BoxTask.REQUIREMENT)
@case("unless the project says so", HARDLY, (AGAINST,), BoxRules(no_box_votes=1), None, BoxMove.NON_VISUAL)
@case("two are", HARDLY, (AGAINST, AGAINST), RULES, None, BoxMove.NON_VISUAL)
@case("nothing to draw is a vote", HARDLY, (AGAINST, drew(None)), RULES, None, BoxMove.NON_VISUAL)
@case("an unsure chain is asked about", PARK, UNSURE, BoxRules(max_answers=5), None, BoxTask.REQUIREMENT)
@case("and goes to review", PARK, UNSURE, BoxRules(max_answers=4), None, BoxMove.REVIEW)
@case("each box allows answers", ONE, DOUBTED, BoxRules(sure=0.999, max_answers=2), None, BoxTask.COVERAGE)
@case("but not more", ONE, DOUBTED, BoxRules(sure=0.999, max_answers=1), None, BoxMove.REVIEW)
@case("a program's box that is likely good is taken", ONE, (), RULES, 0.9, BoxMove.PRE_ANNOTATION)
@case("a bad one is not", ONE, (), RULES, 0.1, BoxTask.DRAWING)
@case("nor one more to check, if it is bad", PERHAPS_TWO, (drew(0),), RULES, 0.8, BoxTask.COVERAGE)
@case("a surer one is", PERHAPS_TWO, (drew(0),), RULES, 0.95, BoxMove.PRE_ANNOTATION)
@case("none where all is there", ONE, SETTLED, RULES, 0.9, BoxMove.COMPLETE)
@case("none in review", PARK, UNSURE, BoxRules(max_answers=4), 0.9, BoxMove.REVIEW)
def test_the_next_step(
    counts: tuple[float, ...],
    answers: tuple[BoxAnswer, ...],
    rules: BoxRules,
    trust: float | None,
    kind: BoxTask | BoxMove,
) -> None:
    offer = None if trust is None else OfferedBox(trust)
    assert next_step(BoxEvidence(counts, answers), rules, offer).kind is kind


def test_a_first_vote_can_be_surer_than_a_chain_has_to_be_and_each_box_allows_as_many_answers_as_were_given() -> None:
    assert believe_boxes(BoxEvidence(HARDLY, (AGAINST,))).p_no_box > 0.99
    assert len(DOUBTED) == 1 + ANSWERS_PER_BOX
    assert next_step(BoxEvidence(ONE, COVERED_ONCE), BoxRules(sure=0.999)).box == 0


def test_a_box_that_is_likely_bad_is_not_kept() -> None:
    step = next_step(BoxEvidence(ONE, (drew(0), judged(0, BAD, 0), judged(0, BAD, 0))), RULES)
    assert (step.kind, step.boxes, step.good) == (BoxTask.DRAWING, (), {})


COUNTS = (0.2, 0.4, 0.25, 0.1, 0.05)


STORIES = {
    "votes for no box": [VOTE, AGAINST, drew(None), vote(BoxRequirement.NO_BOX, skill=-1.0)],
    "one box": [drew(0), judged(0, GOOD, 0), COVERED],
    "two workers disagree": [drew(0), judged(0, BAD, 0), judged(0, GOOD, 0, skill=0.7), AGAINST],
    "a good box is dropped": [drew(0), judged(0, BAD, 0), drew(1), judged(1, GOOD, 1), covered(MORE, 1)],
    "several": [drew(4), drew(5, 4), covered(MORE, 4, 5), drew(6, 4, 5), judged(5, BAD, 4, 5, 6)],
    "one is dropped": [drew(4), drew(5, 4), judged(4, BAD, 4, 5), drew(6, 5), covered(THERE, 5, 6)],
    "a program's box": [drew(0, trust=0.6), drew(1, 0, trust=0.9), covered(THERE, 0, 1), judged(1, GOOD, 0, 1)],
    "needless drawings": [drew(None), drew(0), drew(None, 0, skill=1.2), drew(1, 0)],
}
of_stories = pytest.mark.parametrize("answers", STORIES.values(), ids=STORIES)


@of_stories
def test_the_filter_agrees_with_all_ways_it_could_have_been(answers: list[BoxAnswer]) -> None:
    belief = believe_boxes(BoxEvidence(COUNTS, tuple(answers)))
    ways, shown = all_ways(COUNTS, answers), belief.shown

    def chance(holds: Callable[[Way], bool]) -> object:
        return pytest.approx(sum(way.chance for way in ways if holds(way)))

    assert belief.p_missing == chance(lambda way: bool(way.missing(shown)))
    assert belief.p_no_box == chance(lambda way: not way.boxes)
    assert belief.p_complete == chance(lambda way: not way.missing(shown) and all(map(way.is_good, shown)))
    for box in shown:
        assert belief.p_good(box) == chance(lambda way, box=box: way.is_good(box))  # type: ignore[misc]
        rest = belief.without([box])
        assert rest.shown == tuple(other for other in shown if other != box)
        assert rest.p_missing == chance(lambda way, rest=rest: bool(way.missing(rest.shown))), "its entity is missing"  # type: ignore[misc]
    together = sum(way.chance for way in ways_and_answers(COUNTS, answers))
    assert belief.log_chance == pytest.approx(log(together))


def test_the_second_answer_that_agrees_says_less_than_the_first() -> None:
    ratios = []
    for times in range(3):
        chance = believe_boxes(BoxEvidence((0.5, 0.5), (VOTE,) * times)).p_no_box
        ratios.append((1 - chance) / chance)
    assert ratios[1] / ratios[0] > ratios[2] / ratios[1] > 1


def crowd(boxes: int) -> list[BoxAnswer]:
    """Boxes drawn one after the other, each judged good once."""
    return [one for box in range(boxes) for one in (drew(box, *range(box)), judged(box, GOOD, *range(box + 1)))]


def test_a_crowd_of_boxes_stays_small_and_near_what_is_exact() -> None:
    counts = counts_of(frozenset({"people"}), ("a", "crowd"), "crowd", DEFAULT)
    belief = believe_boxes(BoxEvidence(counts, tuple(crowd(11))))
    assert len(belief.boxes) == MAX_TRACKED and len(belief.shown) == 11
    assert belief.table.size < 5000
    assert all(belief.p_good(box) > 0.9 for box in belief.shown)
    few = believe_boxes(BoxEvidence(counts, (*crowd(8), judged(0, BAD, *range(8)))))
    assert few.p_good(0) < few.p_good(1)


def test_boxes_weighed_apart_can_be_judged_and_dropped() -> None:
    belief = believe_boxes(
        BoxEvidence(counts_of(frozenset({"people"}), ("a", "crowd"), "crowd", DEFAULT), tuple(crowd(9)))
    )
    apart = belief.settled[0][0]
    bad = belief.after(judged(apart, BAD, *range(9)))
    assert bad.p_good(apart) < belief.p_good(apart)
    good = belief.after(judged(apart, GOOD, *range(9)))
    assert exp(bad.log_chance) + exp(good.log_chance) == pytest.approx(exp(belief.log_chance))
    assert belief.without([apart]).p_missing > belief.p_missing
    assert apart not in belief.without([apart]).shown
    assert belief.p_no_box < 1e-9


def test_a_box_that_is_not_shown_has_no_chance() -> None:
    with pytest.raises(KeyError, match="Box 7 is not shown"):
        believe_boxes(BoxEvidence(COUNTS, (drew(0),))).p_good(7)


def test_a_usual_chain_takes_few_steps_and_each_further_box_as_many_again() -> None:
    """555 lines take a third of a millisecond, and a campaign asks for a belief before each question."""

    def steps(boxes: int) -> int:
        evidence = BoxEvidence(COUNTS, tuple(crowd(boxes)))
        return lines_run(lambda: believe_boxes(evidence))

    steps(4)  # computes what is kept for all
    one, two, three, four = map(steps, (1, 2, 3, 4))
    assert two < 1000
    assert max(two - one, three - two, four - three) < 500


ONE_DRAWN = (drew(0),)
DRAW, COVER, JUDGE = BoxQuestion(BoxTask.DRAWING), BoxQuestion(BoxTask.COVERAGE), BoxQuestion(BoxTask.QUALITY, 0)


@case("no box yet", (0.3, 0.45, 0.25), (), 0.005)
@case("one box", (0.02, 0.5, 0.48), ONE_DRAWN, 0.001)
def test_questions_are_worth_what_the_slow_calculation_says(
    counts: tuple[float, ...], answers: tuple[BoxAnswer, ...], price: float
) -> None:
    belief, ways = believe_boxes(BoxEvidence(counts, answers)), all_ways(counts, answers)
    ends = plain_ends(ways, belief.shown, price)
    slow = plain_worth(ways, belief.shown, price, requirement=belief.p_no_box > 0.02)
    assert value_of(belief, DEFAULT, price) == pytest.approx(max(*ends, *slow.values()))
    slow[DRAW] = max(slow[DRAW], ends[-1])
    assert look_ahead(belief, DEFAULT, price) == pytest.approx(slow)


def worth(counts: tuple[float, ...], answers: tuple[BoxAnswer, ...]) -> dict[BoxQuestion, float]:
    return look_ahead(believe_boxes(BoxEvidence(counts, answers)), DEFAULT, 0.005)


def test_drawing_is_worth_most_where_a_box_is_surely_missing_and_a_vote_where_one_is_hardly_needed() -> None:
    needed, hardly = worth((0.01, 0.99), ()), worth((0.7, 0.3), ())
    assert max(needed, key=lambda one: needed[one]) == DRAW
    assert max(hardly, key=lambda one: hardly[one]) == BoxQuestion(BoxTask.REQUIREMENT)
    missing, there = worth((0.01, 0.02, 0.97), ONE_DRAWN), worth((0.01, 0.97, 0.02), ONE_DRAWN)
    assert missing[DRAW] - missing[COVER] > there[DRAW] - there[COVER]


def test_a_question_is_worth_less_the_dearer_a_second_is() -> None:
    belief = believe_boxes(BoxEvidence((0.05, 0.8, 0.15), ONE_DRAWN))
    free, cheap, dear = (look_ahead(belief, DEFAULT, price) for price in (0.0, 0.005, 0.02))
    for question in free:
        assert free[question] > cheap[question] > dear[question]
    assert max(cheap[COVER], cheap[JUDGE]) > belief.p_complete > max(dear[COVER], dear[JUDGE])
