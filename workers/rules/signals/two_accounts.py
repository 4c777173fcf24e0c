"""Two accounts as one [paper 3.3]: two workers share errors or boxes, and their hours of work interlock."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from workers.rules.score import logit, sigmoid
from workers.rules.signals.one_button import TaskAnswer
from workers.rules.signals.signal import Signal, SignalKind, at_least, best_of, together

Pair = tuple[int, int]
"""Two workers, the smaller id first."""
LEAD = 2
"""Votes by which an answer leads that counts as right where none is known."""
MEMORY = 4
"""Answers that the crowd's error rate is worth against a worker's or a question's own: hard questions differ."""
COMMONEST = 0.5
"""A wrong answer that a larger share gives is left out: then the known answer may be wrong."""


class Shared(NamedTuple):
    """The answers that two workers share: `equal` answers on `met` common questions. `chance`: as in a signal."""

    chance: float
    equal: int
    met: int
    judgments: tuple[int, ...]


class Errors:
    """The errors of each worker, with right answers that are known or found by the votes."""

    def __init__(self, judgments: Iterable[TaskAnswer]) -> None:
        by_question: dict[int, list[TaskAnswer]] = defaultdict(list)
        for judgment in judgments:
            by_question[judgment.question].append(judgment)
        self.right = {question: truth for question, votes in by_question.items() if (truth := _right(votes))}
        self.of: dict[int, dict[int, TaskAnswer]] = defaultdict(dict)
        self.wrong: dict[int, list[TaskAnswer]] = defaultdict(list)
        self._asked: Counter[tuple[object, ...]] = Counter()
        self._missed: Counter[tuple[object, ...]] = Counter()
        for question, truth in self.right.items():
            for answer in by_question[question]:
                self._count(answer, truth[0])

    def _count(self, answer: TaskAnswer, truth: Hashable) -> None:
        self.of[answer.worker][answer.question] = answer
        is_wrong = answer.answer != truth
        for key in (("all", truth), ("worker", answer.worker, truth), ("question", answer.question)):
            self._asked[key] += 1
            self._missed[key] += is_wrong
        if is_wrong:
            self.wrong[answer.question].append(answer)

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

    def _smooth(self, key: tuple[object, ...], towards: float, less_answered: int, less_missed: int) -> float:
        asked, missed = self._asked[key] - less_answered, self._missed[key] - less_missed
        return (missed + MEMORY * towards) / (asked + MEMORY)


def shared_errors(judgments: Iterable[TaskAnswer], *, errors: int = 3) -> dict[Pair, Shared]:
    """Return the pairs of workers with at least `errors` equal wrong answers in one task, and the chance of this.

    Two workers meet on verification questions and on questions that several are asked. The right answer is the known
    one, or one that leads by LEAD votes. The chance takes the other's errors as given.
    """
    known = Errors(judgments)
    together: Counter[Pair] = Counter()
    for question, wrong in known.wrong.items():
        together.update(_pairs(wrong, most=COMMONEST * known.right[question][1]))
    return {pair: _shared(known, pair) for pair, count in together.items() if count >= errors}


def _pairs(wrong: list[TaskAnswer], *, most: float) -> Iterator[Pair]:
    same: Mapping[Hashable, list[int]] = defaultdict(list)
    for answer in wrong:
        same[answer.answer].append(answer.worker)
    for workers in same.values():
        if len(workers) <= max(2, most):
            yield from combinations(sorted(workers), 2)


def _shared(known: Errors, pair: Pair) -> Shared:
    a, b = pair
    met = sorted(known.of[a].keys() & known.of[b].keys())
    both = [q for q in met if known.of[a][q].answer == known.of[b][q].answer != known.right[q][0]]
    chance = max(_chance(known, account, other, met, len(both)) for account, other in ((a, b), (b, a)))
    ids = sorted(known.of[worker][question].id for question in both for worker in pair)
    return Shared(chance, len(both), len(met), tuple(ids))


def _chance(known: Errors, worker: int, other: int, met: list[int], count: int) -> float:
    erred = [question for question in met if known.of[other][question].answer != known.right[question][0]]
    return at_least(count, len(erred), sum(known.chance(worker, question) for question in erred) / len(erred))


def _right(votes: list[TaskAnswer]) -> tuple[Hashable, int] | None:
    """Return the right answer and the number of votes; None if it is neither known nor agreed on, or for one vote."""
    if len(votes) < 2:
        return None
    if votes[0].known is not None:
        return votes[0].known, len(votes)
    first, *rest = Counter(vote.answer for vote in votes).most_common(2)
    if first[1] - (rest[0][1] if rest else 0) < LEAD or len(votes) < 3:
        return None
    return first[0], len(votes)


PAUSE = 600.0
"""A break of more seconds than this ends a spell of work."""
WITHIN = 60.0
"""Two moments at most this many seconds apart are a hit."""
AROUND = 3600.0
"""The seconds before and after a moment in which a stranger would begin at any time with equal chance."""


class Spell(NamedTuple):
    """Work without a long pause: the times of the first and the last answer, in seconds since any moment."""

    begin: float
    end: float


class Interlock(NamedTuple):
    """The counts of one worker beginning as the other ended and of both beginning together, and their chance."""

    chance: float
    handovers: int
    joint: int
    overlapping: int
    """The spells of the first worker during which the second worked, too."""
    spells: int
    """All spells of the first worker."""


def spells(times: Iterable[float]) -> list[Spell]:
    """Return the spells of one worker by the times of all answers in seconds; a break of over PAUSE ends one."""
    made: list[Spell] = []
    for time in sorted(times):
        if made and time - made[-1].end <= PAUSE:
            made[-1] = Spell(made[-1].begin, time)
        else:
            made.append(Spell(time, time))
    return made


def interlock(a: Sequence[Spell], b: Sequence[Spell], *, within: float = WITHIN, around: float = AROUND) -> Interlock:
    """Compare when two workers begin and end.

    Only beginnings within `around` seconds of a moment are compared with it, so a shared time zone is no evidence: a
    stranger would begin anywhere in that time with equal chance. A beginning within `within` seconds is a hit.
    """
    starts = [sorted(spell.begin for spell in spells) for spells in (a, b)]
    ends = [sorted(spell.end for spell in spells) for spells in (a, b)]
    one_way = _hits(ends[0], starts[1], 0, within, around)
    other_way = _hits(ends[1], starts[0], 0, within, around)
    joint = _hits(starts[0], starts[1], within, within, around)
    handovers = tuple(x + y for x, y in zip(one_way, other_way, strict=True))
    chances = [
        at_least(hits, trials, expected / trials) if trials else 1.0 for hits, trials, expected in (handovers, joint)
    ]
    overlapping = sum(any(other.begin < spell.end and spell.begin < other.end for other in b) for spell in a)
    return Interlock(best_of(chances), int(handovers[0]), int(joint[0]), overlapping, len(a))


def _hits(
    moments: Sequence[float], begins: Sequence[float], before: float, after: float, around: float
) -> tuple[float, float, float]:
    """Return how many moments have a beginning close by, how many have one around, and the hits expected by chance."""
    hits, trials, expected = 0, 0, 0.0
    for moment in moments:
        near = bisect_right(begins, moment + around) - bisect_left(begins, moment - around)
        if near:
            trials += 1
            hits += bisect_right(begins, moment + after) > bisect_left(begins, moment - before)
            expected += 1 - math.exp(-near * (before + after) / (2 * around))
    return hits, trials, expected


MAX_CHANCE = 0.001
"""The largest chance of shared errors or boxes that gives a signal. Hours alone give none: colleagues start at once."""
NOTHING = Shared(1.0, 0, 0, ())


def two_accounts(
    pair: Pair,
    errors: Shared = NOTHING,
    boxes: Shared = NOTHING,
    spells: Mapping[int, Sequence[Spell]] | None = None,
) -> Signal | None:
    """Return a signal for one pair, from what `shared_errors`, `shared_boxes` and `spells` found.

    The three are independent if the two workers are strangers, so their chances are combined. For `confirmed`, the
    `tests` of this signal are all pairs of workers.
    """
    if min(errors.chance, boxes.chance) > MAX_CHANCE:
        return None
    clock = interlock(*(spells[worker] for worker in pair)) if spells else None
    chance = together([errors.chance, boxes.chance, clock.chance if clock else 1.0])
    judgments = tuple(sorted({*errors.judgments, *boxes.judgments}))
    return Signal(SignalKind.TWO_ACCOUNTS, pair, chance, " ".join(_evidence(errors, boxes, clock)), judgments)


def _evidence(errors: Shared, boxes: Shared, clock: Interlock | None) -> list[str]:
    words = []
    if errors.equal:
        words.append(f"{errors.equal} equal wrong answers on {errors.met} questions that both answered.")
    if boxes.equal:
        words.append(f"{boxes.equal} nearly equal boxes on {boxes.met} questions for which both drew.")
    if clock:
        words.append(
            f"Of {clock.spells} spells of work {clock.overlapping} overlap with the other's; "
            f"{clock.joint} times both began within a minute, {clock.handovers} times one began as the other ended."
        )
    return words
