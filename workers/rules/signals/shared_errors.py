"""Shared errors [beyond paper 3.3]: pairs of workers give the same wrong answers, more than hard questions explain."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from workers.rules.share import logit, sigmoid
from workers.rules.signals.one_button import Judged
from workers.rules.signals.signal import at_least

Pair = tuple[int, int]
"""Two workers, the smaller id first."""


class Shared(NamedTuple):
    """The answers that two workers share: `equal` answers on `met` common questions. `chance`: as in a signal."""

    chance: float
    equal: int
    met: int
    judgments: tuple[int, ...]


class Errors:
    """The errors of each worker, with right answers that are known or found by the votes."""

    def __init__(self, judgments: Iterable[Judged], *, lead: int, memory: float) -> None:
        by_question: dict[int, list[Judged]] = defaultdict(list)
        for one in judgments:
            by_question[one.question].append(one)
        self._memory = memory
        self.right = {question: truth for question, votes in by_question.items() if (truth := _right(votes, lead))}
        self.of: dict[int, dict[int, Judged]] = defaultdict(dict)
        self.wrong: dict[int, list[Judged]] = defaultdict(list)
        self._asked: Counter[tuple[object, ...]] = Counter()
        self._missed: Counter[tuple[object, ...]] = Counter()
        for question, truth in self.right.items():
            for one in by_question[question]:
                self._count(one, truth[0])

    def _count(self, one: Judged, truth: Hashable) -> None:
        self.of[one.worker][one.question] = one
        is_wrong = one.answer != truth
        for key in (("all", truth), ("worker", one.worker, truth), ("question", one.question)):
            self._asked[key] += 1
            self._missed[key] += is_wrong
        if is_wrong:
            self.wrong[one.question].append(one)

    def chance(self, worker: int, question: int) -> float:
        """Return the chance that the worker errs on the question.

        It follows from the worker's errors on questions with this right answer, and from others' on this question.
        """
        truth = self.right[question][0]
        usual = self._smooth(("all", truth), 0.1, 0, 0)
        own = self._smooth(("worker", worker, truth), usual, 0, 0)
        mine = self.of[worker][question]
        here = self._smooth(("question", question), usual, 1, mine.answer != truth)
        return sigmoid(logit(own) + logit(here) - logit(usual))

    def _smooth(self, key: tuple[object, ...], towards: float, less_asked: int, less_missed: int) -> float:
        asked, missed = self._asked[key] - less_asked, self._missed[key] - less_missed
        return (missed + self._memory * towards) / (asked + self._memory)


def shared_errors(
    judgments: Iterable[Judged], *, errors: int = 3, lead: int = 2, memory: float = 4, commonest: float = 0.5
) -> dict[Pair, Shared]:
    """Return the pairs of workers with at least `errors` equal wrong answers in one task, and the chance of this.

    Two workers meet on verification questions and on questions that several are asked. The right answer is the known
    one, or one that leads by `lead` votes. A wrong answer that more than the share `commonest` gives is left out: then
    the known answer may be wrong. `memory`: how many answers the crowd's error rate is worth against a worker's or a
    question's own rate; small, because hard questions differ much. The chance takes the other's errors as given.
    """
    known = Errors(judgments, lead=lead, memory=memory)
    together: Counter[Pair] = Counter()
    for question, wrong in known.wrong.items():
        together.update(_pairs(wrong, most=commonest * known.right[question][1]))
    return {pair: _shared(known, pair) for pair, count in together.items() if count >= errors}


def _pairs(wrong: list[Judged], *, most: float) -> Iterator[Pair]:
    same: Mapping[Hashable, list[int]] = defaultdict(list)
    for one in wrong:
        same[one.answer].append(one.worker)
    for workers in same.values():
        if len(workers) <= max(2, most):
            yield from combinations(sorted(workers), 2)


def _shared(known: Errors, pair: Pair) -> Shared:
    a, b = pair
    met = sorted(known.of[a].keys() & known.of[b].keys())
    both = [q for q in met if known.of[a][q].answer == known.of[b][q].answer != known.right[q][0]]
    chance = max(_chance(known, one, other, met, len(both)) for one, other in ((a, b), (b, a)))
    ids = sorted(known.of[worker][question].id for question in both for worker in pair)
    return Shared(chance, len(both), len(met), tuple(ids))


def _chance(known: Errors, one: int, given: int, met: list[int], count: int) -> float:
    erred = [question for question in met if known.of[given][question].answer != known.right[question][0]]
    return at_least(count, len(erred), sum(known.chance(one, question) for question in erred) / len(erred))


def _right(votes: list[Judged], lead: int) -> tuple[Hashable, int] | None:
    """Return the right answer and the number of votes; None if it is neither known nor agreed on, or for one vote."""
    if len(votes) < 2:
        return None
    if votes[0].known is not None:
        return votes[0].known, len(votes)
    first, *rest = Counter(one.answer for one in votes).most_common(2)
    if first[1] - (rest[0][1] if rest else 0) < lead or len(votes) < 3:
        return None
    return first[0], len(votes)
