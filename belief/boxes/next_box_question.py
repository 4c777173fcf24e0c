"""Next box question [beyond paper 3.2]: which of the four box tasks to ask of a chain, and when to stop."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from belief.boxes.box_answers import BoxRequirement, BoxTask
from belief.boxes.box_belief import BoxAnswer, BoxBelief, BoxEvidence, believe_boxes
from belief.boxes.box_prior import DEFAULT, BoxPrior
from belief.boxes.fit_box_errors import chance_seen
from belief.boxes.look_ahead import SECONDS, BoxQuestion, look_ahead, value_of


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
