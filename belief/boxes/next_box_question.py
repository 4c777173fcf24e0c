"""Next box question [beyond paper 3.2]: which of the four box tasks to ask of a chain, and when to stop.

The value of a belief is the chance of ending exactly right, less the price of the seconds still to come. It is the best
of a few plain ends: stop now, with all boxes or without one of them or with no box at all; or go on drawing until a
worker finds none missing. A question's value is the mean over its answers of the best that can follow, and after one
more question the ends alone are weighed. Drawing what is truly missing has no price: nothing is left out because it is
expensive. Only checks, needless drawings and drawings again have one. All of this is linear in the chances but for the
choice of the best, so tables are not scaled to 1 again, and all answers are weighed in one go.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from belief.boxes.box_answers import NODES, WRONG_TO_BOX, BoxRequirement, BoxTask, drawing_chances, node_errors
from belief.boxes.box_belief import BoxAnswer, BoxBelief, BoxEvidence, believe_boxes
from belief.boxes.box_prior import DEFAULT, BoxPrior
from belief.boxes.fit_box_errors import chance_seen

SECONDS = {BoxTask.REQUIREMENT: 8.1, BoxTask.DRAWING: 26.8, BoxTask.QUALITY: 11.0, BoxTask.COVERAGE: 9.1}
"""Average seconds of a question [paper table 3]."""
DEPTH = 2
RIGHT_IF_DRAWN = 0.95
"""Taken for the chance that a missing box is there, and good, in the end."""
CHECK_SECONDS = 46.0
"""Taken for the seconds that go into a missing box beyond the drawing: checks, and drawing it again."""
RIGHT_IF_NONE, NONE_SECONDS = 0.9, 38.0
"""The same of a chain without a box that drawing is asked of, and the seconds: a drawing and a vote or two."""
MAX_JUDGED = 2
"""The boxes that are weighed for a quality question: the least sure ones."""
MIN_P_NO_BOX = 0.02
"""Box requirement is not weighed for a chain that is less likely without a box."""
Tables = NDArray[np.float64]
"""Chances [tables, NODES, missing boxes, 2 ** boxes]: in the last axis bit by bit whether a box is good, the newest
last."""


class BoxQuestion(NamedTuple):
    """A question that can be asked next."""

    task: BoxTask
    box: int | None = None
    """The number of the box to judge."""


class SettledBoxes(NamedTuple):
    """The boxes that are weighed apart from the table."""

    some: bool
    good: float
    """The chance that all are good."""
    bad: float
    """The chance that all are bad."""


class LookAhead(NamedTuple):
    """The questions to weigh in every table, with the price of a second."""

    prior: BoxPrior
    price: float
    """Of a second, in chances of being right."""
    judged: tuple[int, ...]
    """The places of the boxes that may be judged."""
    requirement: bool
    apart: SettledBoxes


PlacedQuestion = tuple[BoxTask, int | None]
"""A task, and for box quality the place of the box."""


def look_ahead(belief: BoxBelief, prior: BoxPrior, price: float) -> dict[BoxQuestion, float]:
    """Return what each question that can be asked now is worth, in chances of being right.

    `price`: of a second of work. What stopping is worth is `BoxBelief.p_complete` and `BoxBelief.p_no_box`.
    """
    tables, terms = _prepared(belief, prior, price)
    worth_of = {}
    for (task, place), worth in _worth_ahead(tables, len(belief.boxes), terms, DEPTH).items():
        worth_of[BoxQuestion(task, None if place is None else belief.boxes[place])] = float(worth[0])
    ends = _ends(len(belief.boxes), tables.shape[2], price, prior.error_of(BoxTask.QUALITY), terms.apart)
    drawn = BoxQuestion(BoxTask.DRAWING)
    worth_of[drawn] = max(worth_of[drawn], float((_marginal(tables) @ ends[-1])[0]))
    return worth_of


def value_of(belief: BoxBelief, prior: BoxPrior, price: float) -> float:
    """Return what the best of all questions and ends is worth now."""
    tables, terms = _prepared(belief, prior, price)
    return float(_value(tables, len(belief.boxes), terms, DEPTH)[0])


def _prepared(belief: BoxBelief, prior: BoxPrior, price: float) -> tuple[Tables, LookAhead]:
    boxes = len(belief.boxes)
    sure = [belief.p_good(box) for box in belief.boxes]
    judged = tuple(sorted(range(boxes), key=lambda place: sure[place])[:MAX_JUDGED])
    chances = np.array([chance for _, chance in belief.settled])
    apart = SettledBoxes(bool(len(chances)), float(chances.prod()), float((1 - chances).prod()))
    terms = LookAhead(prior, price, judged, belief.p_no_box > MIN_P_NO_BOX, apart)
    return belief.table.reshape(1, NODES, belief.table.shape[1], -1), terms


def _worth_ahead(tables: Tables, boxes: int, terms: LookAhead, depth: int) -> dict[PlacedQuestion, NDArray[np.float64]]:
    """Return for each question what asking it is worth in each table."""
    numbers, chances = _answers(tables.shape[2], boxes, terms)
    mass = tables.sum(axis=(1, 2, 3))
    after = (tables[:, None] * chances[None]).reshape(-1, *tables.shape[1:])
    values = _value(after, boxes, terms, depth - 1).reshape(len(tables), len(chances))
    drawn = _value(_with_a_box(tables, terms.prior), boxes + 1, terms, depth - 1)
    worth_of = {}
    for question, places in numbers.items():
        worth_of[question] = values[:, places].sum(axis=1) - terms.price * SECONDS[question[0]] * mass
    worth_of[BoxTask.DRAWING, None] += drawn
    return worth_of


def _value(tables: Tables, boxes: int, terms: LookAhead, depth: int) -> NDArray[np.float64]:
    """Return what each table is worth if at most `depth` more questions are weighed one by one."""
    ends = _ends(boxes, tables.shape[2], terms.price, terms.prior.error_of(BoxTask.QUALITY), terms.apart)
    best: NDArray[np.float64] = (_marginal(tables) @ ends.T).max(axis=1)
    if depth:
        for value in _worth_ahead(tables, boxes, terms, depth).values():
            best = np.maximum(best, value)
    return best


def _marginal(tables: Tables) -> NDArray[np.float64]:
    marginal: NDArray[np.float64] = tables.sum(axis=1).reshape(len(tables), -1)
    return marginal


def _with_a_box(tables: Tables, prior: BoxPrior) -> Tables:
    chance = drawing_chances(prior.error_of(BoxTask.DRAWING))
    grown = np.zeros((*tables.shape, 2))
    grown[:, :, :-1, :, 1] = tables[:, :, 1:] * chance.good[:, None, None]
    grown[..., 0] = tables * chance.bad[:, None, None]
    grown[:, :, 0, :, 0] = tables[:, :, 0] * chance.needless[:, None]
    return grown.reshape(*tables.shape[:3], -1)


def _answers(counts: int, boxes: int, terms: LookAhead) -> tuple[dict[PlacedQuestion, list[int]], Tables]:
    """Return for each question the places of its answers, and for each answer its chances [answers, table].

    The drawing of a box is not among them, as it makes another table.
    """
    errors = tuple(terms.prior.error_of(task) for task in BoxTask)
    # A box that was drawn on the way may be judged, too.
    judged = tuple(sorted({*terms.judged, boxes - 1})) if boxes else ()
    coverage = bool(boxes) or terms.apart.some
    return _chances(counts, boxes, judged, errors, requirement=terms.requirement, coverage=coverage)


@lru_cache(maxsize=1024)
def _chances(
    counts: int, boxes: int, judged: tuple[int, ...], errors: tuple[float, ...], *, requirement: bool, coverage: bool
) -> tuple[dict[PlacedQuestion, list[int]], Tables]:
    requires, draws, judges, covers = (node_errors(mean) for mean in errors)
    shape = (NODES, counts, 2**boxes)
    places: dict[PlacedQuestion, list[int]] = {(BoxTask.DRAWING, None): [0]}
    none = np.broadcast_to(drawing_chances(errors[1]).none[:, None, None], shape).copy()
    none[:, 0] = (1 - draws)[:, None]
    chances: list[Tables] = [none]

    def add(task: BoxTask, place: int | None, alarm: Tables) -> None:
        places[task, place] = [len(chances), len(chances) + 1]
        chances.extend((alarm, 1 - alarm))

    if requirement:
        box = np.broadcast_to((1 - requires)[:, None, None], shape).copy()
        box[:, 0, 0] = requires * WRONG_TO_BOX
        add(BoxTask.REQUIREMENT, None, box)
    if coverage:
        there = np.broadcast_to(covers[:, None, None], shape).copy()
        there[:, 0] = (1 - covers)[:, None]
        add(BoxTask.COVERAGE, None, there)
    for place in judged:
        is_good = (np.arange(2**boxes) >> (boxes - 1 - place) & 1).astype(bool)
        good = np.where(is_good, (1 - judges)[:, None], judges[:, None])
        add(BoxTask.QUALITY, place, np.broadcast_to(good[:, None], shape))
    return places, np.array(chances)


@lru_cache(maxsize=1024)
def _ends(boxes: int, counts: int, price: float, misjudged: float, apart: SettledBoxes) -> NDArray[np.float64]:
    """Return what each plain end is worth [ends, missing boxes * 2 ** boxes]; the last is to go on drawing.

    `misjudged`: the crowd's error in box quality.
    """
    every = 2**boxes - 1
    some = bool(boxes) or apart.some
    going_on = np.maximum(0.0, RIGHT_IF_DRAWN ** np.arange(counts) - price * CHECK_SECONDS)
    going_on[0] = (RIGHT_IF_DRAWN - price * SECONDS[BoxTask.DRAWING]) if some else RIGHT_IF_NONE - price * NONE_SECONDS
    now, one_more = np.eye(1, counts)[0], np.append(going_on[1:], going_on[-1])
    ends = [_end(boxes, (0, apart.bad * now))]
    if some:
        ends.append(_end(boxes, (every, apart.good * now)))
    for place in range(boxes):
        # Without this box: if it was good, one more is missing.
        but_one = every & ~(1 << (boxes - 1 - place))
        ends.append(_end(boxes, (but_one, apart.good * going_on), (every, apart.good * one_more)))
        if boxes > 1 or apart.some:
            ends.append(_end(boxes, (but_one, apart.good * now)))
        # Or the box is judged, and that decides.
        paid = apart.good * price * SECONDS[BoxTask.QUALITY]
        good_box = apart.good * ((1 - misjudged) * going_on + misjudged * one_more)
        ends.append(_end(boxes, (but_one, apart.good * (1 - misjudged) * going_on - paid), (every, good_box - paid)))
    ends.append(_end(boxes, (every, apart.good * going_on)))
    return np.array(ends)


def _end(boxes: int, *parts: tuple[int, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return an end that is worth this much for each number of missing boxes, by which boxes are good."""
    row = np.zeros((len(parts[0][1]), 2**boxes))
    for goods, worth in parts:
        row[:, goods] += worth
    return row.ravel()


class BoxMove(StrEnum):
    """The steps that can follow for a chain instead of a question."""

    PRE_ANNOTATION = "pre_annotation"
    """Take the program's box that is offered: it is shown from now on, as if it had been drawn."""
    COMPLETE = "complete"
    NON_VISUAL = "non-visual"
    REVIEW = "review"


MIN_GOOD = 0.35
"""A box that is less likely good is dropped."""
MAX_MISSING = 0.6
"""A box is drawn where one is missing more likely than this; else coverage is asked, which is quicker."""
WORTH_SECONDS = 20.0
"""The seconds of work that are worth asking for if they make the chain surer by what `BoxRules.sure` leaves open."""
ANSWERS_PER_BOX = 4
"""Each kept box allows this many answers more, before a chain goes to review."""
UNTAKEN = -1
"""Stands for the number of a box that is not taken yet."""


class BoxRules(NamedTuple):
    """A project's choices for the belief policy."""

    sure: float = 0.9
    """The target, 0 to 1: `WORTH_SECONDS` of work should raise the chance of being right by 1 less this."""
    prior: BoxPrior = DEFAULT
    max_answers: int = 15
    """A chain without kept boxes goes to review if it is still unsure after this many answers."""
    no_box_votes: int = 2
    """The votes that a chain needs to be non-visual, at least, however sure the first makes it."""
    programs_alone: bool = False
    """Programs may finish a chain without a person's answer."""

    @property
    def price(self) -> float:
        """The price of a second, in chances of being right."""
        return (1 - self.sure) / WORTH_SECONDS


class OfferedBox(NamedTuple):
    """The next box that a program proposes for the chain."""

    trust: float
    """The chance that it is good if a box is missing."""


class BoxStep(NamedTuple):
    """The next step of a chain."""

    kind: BoxTask | BoxMove
    box: int | None
    """The box to judge; None of all other steps."""
    boxes: tuple[int, ...]
    """The boxes to show from now on; those of the chain that are not among them are dropped for good."""
    confidence: float
    """The chance that the chain would be exactly right if it ended now, with these boxes or with none."""
    p_no_box: float
    p_missing: float
    """The chance that a box is missing beside the kept ones."""
    good: dict[int, float]
    """For each kept box, the chance that it is good."""


def next_step(evidence: BoxEvidence, rules: BoxRules, offer: OfferedBox | None = None) -> BoxStep:
    """Return what to do next with a chain: a function of its answers, the rules and the offer alone."""
    belief = believe_boxes(evidence, rules.prior)
    belief = belief.without([box for box in belief.shown if belief.p_good(box) < MIN_GOOD])
    kind, box = _best_question(belief, rules, evidence.answers)
    if offer is not None and kind is not BoxMove.REVIEW and _saves(belief, rules, offer):
        kind, box = BoxMove.PRE_ANNOTATION, None
    good = {box: belief.p_good(box) * (1 - rules.prior.unseen) for box in belief.shown}
    confidence = max(belief.p_no_box, _p_complete(belief)) * chance_seen(rules.prior.unseen, len(belief.shown))
    return BoxStep(kind, box, belief.shown, confidence, belief.p_no_box, belief.p_missing, good)


def _p_complete(belief: BoxBelief) -> float:
    return belief.p_complete if belief.shown else 0.0


def _best_question(
    belief: BoxBelief, rules: BoxRules, answers: Sequence[BoxAnswer]
) -> tuple[BoxTask | BoxMove, int | None]:
    none, complete = belief.p_no_box, _p_complete(belief)
    worth = _worth(belief, rules)
    must_draw = bool(belief.shown) and belief.p_missing > MAX_MISSING
    best = max(worth, key=lambda question: worth[question])
    if worth[best] <= max(none, complete) and not must_draw:
        if complete >= none:
            return BoxMove.COMPLETE, None
        votes = [answer for answer in answers if _is_against(answer)]
        by_people = any(vote.model is None for vote in votes)
        if len(votes) >= rules.no_box_votes and (by_people or rules.programs_alone):
            return BoxMove.NON_VISUAL, None
        best = BoxQuestion(BoxTask.REQUIREMENT)
    if sum(answer.model is None for answer in answers) >= rules.max_answers + ANSWERS_PER_BOX * len(belief.shown):
        return BoxMove.REVIEW, None
    return best.task, best.box


def _worth(belief: BoxBelief, rules: BoxRules) -> dict[BoxQuestion, float]:
    worth = look_ahead(belief, rules.prior, rules.price)
    if not belief.shown:
        return worth
    if belief.p_missing > MAX_MISSING:
        return {question: value for question, value in worth.items() if question.task is BoxTask.DRAWING}
    return {asked: value for asked, value in worth.items() if asked.task in (BoxTask.QUALITY, BoxTask.COVERAGE)}


def _is_against(answer: BoxAnswer) -> bool:
    if answer.task is BoxTask.DRAWING:
        return answer.box is None and not answer.shown
    return answer.task is BoxTask.REQUIREMENT and answer.answer is BoxRequirement.NO_BOX


def _saves(belief: BoxBelief, rules: BoxRules, offer: OfferedBox) -> bool:
    """Return whether the program's box is worth taking: it may spare a drawing, and is one more box to check."""
    taken = belief.after(BoxAnswer(BoxTask.DRAWING, None, 0.0, UNTAKEN, belief.shown, offer.trust), rules.prior)
    spared = rules.price * SECONDS[BoxTask.DRAWING] * offer.trust * belief.p_missing
    with_it, without = (value_of(state, rules.prior, rules.price) for state in (taken, belief))
    return taken.p_good(UNTAKEN) >= MIN_GOOD and with_it + spared > without
