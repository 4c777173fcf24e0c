"""Chains right when the money ends [beyond paper 3.1.1]: links asked by value, by age, or image after image.

The adaptive strategy asks until almost nothing is left to tell, so that the money, not the stop, ends the work. Whoever
has no answer yet has the chains that the text makes likely.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from heapq import heappop, heappush
from itertools import count
from statistics import fmean, stdev
from typing import NamedTuple

from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.fits.fit_link_prior import fit_link_prior
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.prior.link_prior import DEFAULT, LinkPrior
from pipeline.rules.linking.transitivity import LinkMention, Pair, groups
from simulation.compare_strategies import BedImage, PairAnswers, admissible_pairs
from simulation.link_crowd import LinkCrowd
from studies.linking.adaptive_frontier import gold_groups

MOST = 15
STOP = 0.005
"""Bits. Below the value of any link that is asked before the money ends."""


class Order(StrEnum):
    """The way of choosing the next link among those that are open, one in each group."""

    VALUE = "by value"
    WINDOW = "by lot among 300 by value"
    AGE = "by age"
    IMAGE = "image after image"


WINDOW = 300
"""As in `pipeline.asking.draw_items`, where assignments have verification questions."""


class Turn(NamedTuple):
    """One open link in the queue, smallest first."""

    key: tuple[float, int]
    number: int
    """Of its group."""


@dataclass(slots=True)
class _Group:
    image: BedImage
    mentions: Sequence[LinkMention]
    plan: LinkPlan
    heard: dict[Pair, list[Heard]] = field(default_factory=dict)

    def right(self) -> int:
        """Return how many chains are exactly right now."""
        return len(self.image.chains().intersection(self.plan.chains))


def right_at(
    images: Sequence[BedImage],
    answers: PairAnswers,
    prior: LinkPrior,
    order: Order,
    budgets: Sequence[float],
    *,
    stop: float = STOP,
    seed: int = 0,
) -> list[float]:
    """Return the percentage of chains that are exactly right when the money ends, for each budget.

    `budgets`: judgments in percent of all pairs that can corefer, ascending. A budget that outlasts the questions has
    what was reached.
    """
    pairs, chains = sum(map(admissible_pairs, images)), sum(len(image.chains()) for image in images)
    made = [(image, group) for image in images for group in groups(image.mentions)]

    def planned(group: Sequence[LinkMention], heard: dict[Pair, list[Heard]]) -> LinkPlan:
        return plan_adaptively(group, heard, prior=prior, stop=stop, most=MOST)

    all_groups = [_Group(image, group, planned(group, {})) for image, group in made]
    right = sum(group.right() for group in all_groups)
    ends = [round(pairs * budget / 100) for budget in budgets]
    reached: list[float] = []
    for judgments, number in enumerate(_in_turn(all_groups, order, random.Random(f"window {seed}"))):
        while len(reached) < len(ends) and judgments >= ends[len(reached)]:
            reached.append(100 * right / chains)
        if len(reached) == len(ends):
            break
        group = all_groups[number]
        (pair,) = group.plan.open
        votes = group.heard.setdefault(pair, [])
        votes.append(Heard(answers.vote(group.image.key, pair, len(votes))))
        right -= group.right()
        group.plan = planned(group.mentions, group.heard)
        right += group.right()
    return [*reached, *[100 * right / chains] * (len(ends) - len(reached))]


def _in_turn(all_groups: Sequence[_Group], order: Order, lot: random.Random) -> Iterator[int]:
    """Yield the number of the group whose open link is answered next; its plan is made anew before the one after."""
    queue: list[Turn] = []
    asked: dict[int, tuple[Pair, int]] = {}
    ages = count()

    def enter(number: int) -> None:
        for pair in all_groups[number].plan.open:
            # A pair that is asked again at once is the same question, as old as it was.
            if number not in asked or asked[number][0] != pair:
                asked[number] = pair, next(ages)
            value = all_groups[number].plan.values[pair]
            key = {Order.AGE: 0.0, Order.IMAGE: float(number)}.get(order, -value)
            heappush(queue, Turn((key, asked[number][1]), number))

    for number in range(len(all_groups)):
        enter(number)
    while queue:
        turn = _of_window(queue, lot) if order is Order.WINDOW else heappop(queue)
        yield turn.number
        enter(turn.number)


def _of_window(queue: list[Turn], lot: random.Random) -> Turn:
    """Take one of the first WINDOW by lot."""
    first = [heappop(queue) for _ in range(min(WINDOW, len(queue)))]
    turn = first.pop(lot.randrange(len(first)))
    for other in first:
        heappush(queue, other)
    return turn


def compare(
    bed: Sequence[BedImage],
    *,
    folds: int = 5,
    images: int = 100,
    fitted_on: int = 200,
    budgets: Sequence[float] = (10, 15, 20, 30),
    orders: Sequence[Order] = tuple(Order),
    stop: float = STOP,
    seed: int = 0,
    done: Callable[[], object] = lambda: None,
) -> dict[Order, list[list[float]]]:
    """Return for each order what each fold reached by budget. The folds are those of `adaptive_frontier`.

    `fitted_on`: images outside the fold for the prior; 0: the default prior. Raises ValueError for too few images and
    for budgets that do not rise.
    """
    if len(bed) < folds * images or len(bed) - images < fitted_on or min(folds, images) < 1:
        raise ValueError(f"{len(bed)} images do not make {folds} folds of {images} and a prior of {fitted_on}.")
    if not budgets or list(budgets) != sorted(set(budgets)) or budgets[0] < 0:
        raise ValueError(f"Budgets of {list(budgets)}: give rising percentages of all pairs.")
    shuffled = random.Random(f"folds {seed}").sample(list(bed), len(bed))
    reached: dict[Order, list[list[float]]] = {order: [] for order in orders}
    for number in range(folds):
        fold = shuffled[number * images : (number + 1) * images]
        outside = [*shuffled[: number * images], *shuffled[(number + 1) * images :]]
        prior = fit_link_prior(gold_groups(outside[:fitted_on])) if fitted_on else DEFAULT
        crowd = LinkCrowd([(one.key, one.mentions, one.gold) for one in fold], seed + number)
        answers = PairAnswers(crowd, seed + number, most=MOST)
        for order in orders:
            reached[order].append(right_at(fold, answers, prior, order, budgets, stop=stop, seed=seed + number))
            done()
    return reached


def table(reached: dict[Order, list[list[float]]], budgets: Sequence[float]) -> str:
    """Format the means over the folds, and the standard deviation between folds."""
    lines = [f"{'':<28}" + "".join(f"{f'{budget:g} %':>14}" for budget in budgets)]
    for order, folds in reached.items():
        cells = (f"{fmean(of):.1f} ±{stdev(of) if len(of) > 1 else 0.0:.1f}" for of in zip(*folds, strict=True))
        lines.append(f"{order.value:<28}" + "".join(f"{cell:>14}" for cell in cells))
    return "\n".join(lines)
