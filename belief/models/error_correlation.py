"""Correlation of errors [beyond paper 3.3]: how often two model annotators are wrong together.

Both answered about the same things, and people answered as well, whatever the programs said. Of each kind of thing,
such as bad boxes that people drew, chance alone makes as many answers wrong together as the two shares of wrong answers
multiply to. Kinds are held apart, because what both find harder than the rest would look shared.

People err, too, so what is true stays a chance. All answers are weighed as if the two shared none of their errors, and
as if they shared a part of them; how often each is wrong and what is true are found in turn. So many answers are
needed before one is clearly likelier, and the fewer, the more often the two err. Two that share such a part are called
apart in 1 of 20 cases at most, however often one looks.

Programs of one family count as one opinion until answers show that they are two: two fine-tunes of one model err alike.
The requester says so, and their answers about one thing count once, as does a box that one of them proposed and the
other would judge. Two are released once both erred often enough about the same things and not more often together than
chance explains.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log
from types import MappingProxyType
from typing import Annotated, NamedTuple, TypeVar

from pydantic import Field, Strict

from annotation.rules.plain_errors import should_be
from belief.models.fit import ModelAnswer, since_drift
from belief.models.records import NO_ANSWERS, Tally
from belief.values import Amount, Stored

SHARED_PARTS = (0.4, 0.7, 0.95)
"""Two programs are held against two that share these parts of the errors of the one that errs less."""
MIN_LOG_RATIO = 3.0
"""The logarithm of how many times likelier, about 20, the answers must be if the two share none, or a part."""
NEWEST_PAIRS = 960
"""The newest things that both judged that count; four times as many as of one program, as joint errors are rare."""
ROUNDS = 12
COUNT_DIGITS, CHANCE_DIGITS = 2, 3
SECOND, FIRST, BOTH = 1, 2, 3
IMAGINED = (1.62, 0.18, 0.18, 0.02)
"""Imagined answers of each kind: both right, the second wrong, the first wrong, both wrong."""
LogRatio = Annotated[float, Strict(), should_be("a number")]
PairOfPrograms = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{0,17} [1-9][0-9]{0,17}$"), should_be("the numbers of two programs")
]


@dataclass(frozen=True)
class ErrorCorrelation(Stored):
    """The answers of two programs about the same things, held against people's."""

    things: Amount = 0.0
    """The things that both judged."""
    wrong: Tally = NO_ANSWERS
    """The wrong answers of the one with the lower number, and of the other."""
    together: Amount = 0.0
    """The things about which both were wrong ..."""
    by_chance: Amount = 0.0
    """... and as many as chance expects of two that share nothing."""
    apart: LogRatio = 0.0
    """The logarithm of how many times likelier all answers are if the two share no errors than if they share many."""

    @property
    def are_apart(self) -> bool:
        """Whether the answers tell that the two share few errors."""
        return self.apart >= MIN_LOG_RATIO

    @property
    def are_shared(self) -> bool:
        """Whether the answers tell that the two share many errors."""
        return self.apart <= -MIN_LOG_RATIO


def pair_of(first: str | int, second: str | int) -> str:
    """Return the name of two programs, whichever comes first."""
    first, second = sorted((int(first), int(second)))
    return f"{first} {second}"


AnswerPair = tuple[ModelAnswer, ModelAnswer]


def fit_error_correlation(answers: Iterable[ModelAnswer]) -> dict[str, ErrorCorrelation]:
    """Return the record of each two programs that judged the same, named as in `pair_of`. `answers`: oldest first."""
    of_subject: dict[Hashable, dict[str, ModelAnswer]] = defaultdict(dict)
    for answer in answers:
        of_subject[answer.subject].setdefault(answer.model, answer)
    pairs: dict[str, list[AnswerPair]] = defaultdict(list)
    for by_model in of_subject.values():
        for first, second in combinations(sorted(by_model.values(), key=lambda answer: int(answer.model)), 2):
            pairs[pair_of(first.model, second.model)].append((first, second))
    return {pair: _correlation(_newest_pairs(judged_twice)) for pair, judged_twice in sorted(pairs.items())}


def _newest_pairs(pairs: list[AnswerPair]) -> list[AnswerPair]:
    """Return the newest audited things, none from before one of the two, or both together, drifted."""
    against = [(first.against, second.against) for first, second in pairs]
    of_each = (since_drift([both[place] for both in against]) for place in (0, 1))
    begin = max(*of_each, since_drift([first * second for first, second in against]))
    return [both for both in pairs[begin:] if both[0].audited][-NEWEST_PAIRS:]


def _correlation(pairs: Sequence[AnswerPair]) -> ErrorCorrelation:
    cases = Counter(map(_case, pairs))
    alone, shared = _fit(cases, 0.0), max(_fit(cases, share) for share in SHARED_PARTS)
    tables = max(alone, shared).tables
    wrong = [sum(table[place] + table[BOTH] for table in tables.values()) for place in (FIRST, SECOND)]
    by_chance = sum(
        (table[FIRST] + table[BOTH]) * (table[SECOND] + table[BOTH]) / (sum(table) or 1) for table in tables.values()
    )
    together = sum(table[BOTH] for table in tables.values())
    return ErrorCorrelation(
        things=float(len(pairs)),
        wrong=(_rounded(wrong[0]), _rounded(wrong[1])),
        together=_rounded(together),
        by_chance=_rounded(by_chance),
        apart=_rounded(alone.likely - shared.likely),
    )


class _Case(NamedTuple):
    """Things that look the same."""

    wrong: float
    """The chance by people's answers alone that something is wrong."""
    if_wrong: tuple[str, int]
    """The kind, and the cell of its table, if something is wrong ..."""
    if_right: tuple[str, int]
    """... and if nothing is."""


def _case(both: AnswerPair) -> _Case:
    first, second = both
    bad, good = first.kinds
    cells = [2 * (first.alarmed is not wrong) + (second.alarmed is not wrong) for wrong in (True, False)]
    return _Case(round(first.chance, CHANCE_DIGITS), (bad, cells[0]), (good, cells[1]))


class _Fit(NamedTuple):
    """The likeliest account of all answers if two programs share some part of their errors."""

    likely: float
    """The logarithm of the chance of all answers, whatever is true."""
    tables: dict[str, list[float]]
    """For each kind, the things with both right, the second wrong, the first wrong, and both wrong."""


def _fit(cases: Mapping[_Case, int], share: float) -> _Fit:
    tables = _tables((case, number, case.wrong) for case, number in cases.items())
    likely = 0.0
    for _ in range(ROUNDS):
        cells = {kind: _cells(table, share) for kind, table in tables.items()}
        likely, weighed = 0.0, []
        for case, number in cases.items():
            (bad, bad_cell), (good, good_cell) = case.if_wrong, case.if_right
            wrong, right = case.wrong * cells[bad][bad_cell], (1 - case.wrong) * cells[good][good_cell]
            likely += number * log(wrong + right)
            weighed.append((case, number, wrong / (wrong + right)))
        tables = _tables(weighed)
    return _Fit(likely, tables)


def _cells(table: Sequence[float], share: float) -> list[float]:
    """Return the chances of the four cells of a kind if the two share this part of their errors."""
    things = sum(table) + sum(IMAGINED)
    first, second = (
        (table[place] + table[BOTH] + IMAGINED[place] + IMAGINED[BOTH]) / things for place in (FIRST, SECOND)
    )
    chance = first * second
    both = chance + share * (min(first, second) - chance)
    return [1 - first - second + both, second - both, first - both, both]


def _tables(weighed: Iterable[tuple[_Case, int, float]]) -> dict[str, list[float]]:
    """Return the tables of `_Fit`. `weighed`: the cases, how many there are of each, and how likely they are wrong."""
    tables: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(IMAGINED))
    for case, number, wrong in weighed:
        for (kind, cell), chance in ((case.if_wrong, wrong), (case.if_right, 1 - wrong)):
            tables[kind][cell] += number * chance
    return tables


def _rounded(number: float) -> float:
    return round(number, COUNT_DIGITS)


Program = str | int
"""The number of a program; of a person, it is in no family."""
T = TypeVar("T")
P = TypeVar("P", int, str)


class Families(NamedTuple):
    """A project's families, and what its answers tell of them."""

    names: Mapping[str, str] = MappingProxyType({})
    """By the number of the program: the name of its family."""
    pairs: Mapping[str, ErrorCorrelation] = MappingProxyType({})
    """By `pair_of`: how often two programs were wrong together."""

    def are_one(self, first: Program, second: Program) -> bool:
        """Return whether two programs count as one opinion; each is one with itself."""
        if str(first) == str(second):
            return True
        name = self.names.get(str(first))
        if name is None or name != self.names.get(str(second)):
            return False
        pair = self.pairs.get(pair_of(first, second))
        return pair is None or not pair.are_apart

    def is_one_of(self, program: Program, others: Iterable[Program]) -> bool:
        """Return whether a program counts as one opinion with any of the others."""
        return any(self.are_one(program, other) for other in others)

    def relatives(self, of: Iterable[Program], programs: Iterable[int]) -> list[int]:
        """Return those of the programs that are one with, and not the same as, one of these."""
        others = set(map(str, of))
        return [program for program in programs if str(program) not in others and self.is_one_of(program, others)]

    def firsts(self, answers: Iterable[T], source_of: Callable[[T], tuple[Program | None, Hashable]]) -> list[T]:
        """Return the answers without those of a program after one that counts as one with it, about the same thing.

        `source_of`: who gave an answer, None for a person, and what it is about. Without families that is every answer.
        """
        if not self.names:
            return list(answers)
        counted: dict[Hashable, list[Program]] = defaultdict(list)
        found = []
        for answer in answers:
            program, thing = source_of(answer)
            if program is None:
                found.append(answer)
            elif not self.is_one_of(program, counted[thing]):
                counted[thing].append(program)
                found.append(answer)
        return found

    def first_of_each(self, answer_of: Mapping[P, T]) -> dict[P, T]:
        """Return what programs said, by their numbers, of each family that of the lowest number alone."""
        firsts: list[P] = []
        for program in sorted(answer_of, key=int) if self.names else ():
            if not self.is_one_of(program, firsts):
                firsts.append(program)
        return {program: answer for program, answer in answer_of.items() if not self.names or program in firsts}


NO_FAMILIES = Families()
