"""One button [paper 3.3]: a worker gives one answer far more often than the questions explain, or in one long run."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from workers.rules.signals.signal import Signal, SignalKind, at_least, best_of, dispersion

SLIP = 0.02
"""The share of known answers that a good worker still misses."""
MIN_ANSWERS = 30
"""Fewer answers give no signal: a probation's worth."""
MIN_SHARE, MIN_RUN = 0.8, 20
"""The least share of one answer, and the least run of it (two assignments), that count."""


class TaskAnswer(NamedTuple):
    """One answer to a question of one task. `known`: the right answer; None if it is not known."""

    id: int
    worker: int
    question: int
    answer: Hashable
    known: Hashable | None = None


class Explained:
    """The answers of a crowd to one task, and what they make us expect of each question."""

    def __init__(
        self, judgments: Iterable[TaskAnswer], *, weight: float = 2, least_workers: int = 10, few: float = 3.0
    ) -> None:
        """Collect the answers.

        `weight`: how many votes of others on a question the crowd's shares are worth. `few`: the dispersion that is
        assumed if fewer than `least_workers` workers have enough answers to measure it.
        """
        self._weight = weight
        self.of: dict[int, list[TaskAnswer]] = defaultdict(list)
        self._votes: dict[int, Counter[Hashable]] = defaultdict(Counter)
        for judgment in sorted(judgments):
            self.of[judgment.worker].append(judgment)
            self._votes[judgment.question][judgment.answer] += 1
        self._shares = {worker: _shares(mine) for worker, mine in self.of.items()}
        self._sum = Counter[Hashable]()
        for shares in self._shares.values():
            self._sum.update(shares)
        usual = max(self._sum, key=lambda answer: (self._sum[answer], str(answer)), default=None)
        squares = [self._square(worker, usual) for worker, mine in self.of.items() if len(mine) >= 20]
        self.dispersion = dispersion(squares, least=least_workers, otherwise=few)

    def share(self, judgment: TaskAnswer, answer: Hashable) -> float:
        """Return the chance, 0 to 1, that another honest worker gives this answer to the question.

        It follows from the known answer, or else from the shares of the other workers (each counts once), and from
        their votes on the question.
        """
        if judgment.known is not None:
            prior = 1 - SLIP if answer == judgment.known else SLIP
        elif len(self.of) == 1:
            prior = 1 - SLIP  # nobody else says what is usual
        else:
            others = self._sum[answer] - self._shares[judgment.worker].get(answer, 0.0)
            prior = max(SLIP, others / (len(self.of) - 1))
        votes = self._votes[judgment.question]
        same, cast = votes[answer] - (judgment.answer == answer), votes.total() - 1
        return min(1 - SLIP, (same + self._weight * prior) / (cast + self._weight))

    def _square(self, worker: int, answer: Hashable) -> float:
        mine = self.of[worker]
        shares = [self.share(judgment, answer) for judgment in mine]
        variance = sum(share * (1 - share) for share in shares)
        return (sum(judgment.answer == answer for judgment in mine) - sum(shares)) ** 2 / max(variance, 0.01)


def one_button(worker: int, explained: Explained) -> Signal | None:
    """Return a signal if one answer is more frequent, or has a longer run, than the questions explain.

    The judgments shown are those with the answer.
    """
    mine = explained.of[worker]
    if len(mine) < MIN_ANSWERS:
        return None
    answer, count = Counter(judgment.answer for judgment in mine).most_common(1)[0]
    longest = max((list(run) for _, run in groupby(mine, key=attrgetter("answer"))), key=len)
    shares = [explained.share(judgment, answer) for judgment in mine]
    expected = sum(shares) / len(mine)
    effective = len(mine) / explained.dispersion
    often = at_least(count / len(mine) * effective, effective, expected) if count >= MIN_SHARE * len(mine) else 1.0
    chance = best_of([often, _chance_of_run(longest, len(mine), explained) if len(longest) >= MIN_RUN else 1.0])
    if chance >= 1:
        return None
    evidence = (
        f"“{answer}” is {count} of {len(mine)} answers; the questions explain about {expected * len(mine):.0f}. "
        f"The longest run of one answer is {len(longest)} (“{longest[0].answer}”)."
    )
    shown = [judgment for judgment in mine if judgment.answer == answer] if count >= MIN_SHARE * len(mine) else longest
    return Signal(SignalKind.ONE_BUTTON, (worker,), chance, evidence, tuple(judgment.id for judgment in shown))


def _chance_of_run(run: Sequence[TaskAnswer], answers: int, explained: Explained) -> float:
    """Return the chance of such a run anywhere among the answers.

    Neighbouring questions are alike, so the dispersion counts here, too.
    """
    log = sum(math.log(explained.share(judgment, judgment.answer)) for judgment in run)
    return min(1.0, answers * math.exp(log / explained.dispersion))


def _shares(answers: Sequence[TaskAnswer]) -> dict[Hashable, float]:
    return {answer: count / len(answers) for answer, count in Counter(judgment.answer for judgment in answers).items()}
