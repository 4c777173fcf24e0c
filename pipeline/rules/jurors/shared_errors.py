"""Shared errors of programs [beyond paper 3.3]: how often two programs that judge are wrong together.

Both answered about the same things, and people answered as well, whatever the programs said. Of each kind of thing,
such as bad boxes that people drew, chance alone makes as many answers wrong together as the two shares of wrong answers
multiply to. Kinds are held apart, because what both find harder than the rest would look shared.

What is true is a chance that follows from people's answers and, in turn, from how often the two are wrong, alone and
together: one is found from the other until both agree.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Annotated, ClassVar, NamedTuple

from pydantic import ConfigDict, Field

from pipeline.rules.jurors.tally import NONE, Amount, Tally
from pipeline.rules.jurors.turn import since_turn
from pipeline.rules.plain_errors import should_be

LEAST_WRONG = 10.0
"""The wrong answers that each must have given: of fewer, half could be shared and none be wrong together by luck."""
BY_CHANCE = 1.64
"""The standard errors above what chance expects that are still called chance: 1 of 20 independent pairs is above."""
BEYOND_CHANCE = 3.0
"""The standard errors above what chance expects from which errors are called shared."""
NEWEST = 960
"""The newest things that both judged that count; four times as many as of one program, as joint errors are rare."""
ROUNDS = 12
DIGITS = 2
IMAGINED = (1.62, 0.18, 0.18, 0.02)
"""Imagined answers of each kind: both right, the second wrong, the first wrong, both wrong."""
PairOfPrograms = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{0,17} [1-9][0-9]{0,17}$"), should_be("the numbers of two programs")
]


@dataclass(frozen=True)
class SharedErrors:
    """The answers of two programs about the same things, held against people's."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    things: Amount = 0.0
    """The things that both judged."""
    wrong: Tally = NONE
    """The wrong answers of the one with the lower number, and of the other."""
    together: Amount = 0.0
    """The things about which both were wrong ..."""
    by_chance: Amount = 0.0
    """... as many as chance expects of two that have nothing in common ..."""
    error: Amount = 0.0
    """... and the standard error of that."""

    @property
    def are_apart(self) -> bool:
        """Whether both erred often enough to tell, and not more often together than chance explains."""
        return min(self.wrong) >= LEAST_WRONG and self.together <= self.by_chance + BY_CHANCE * self.error

    @property
    def are_shared(self) -> bool:
        """Whether they erred together more often than chance explains."""
        return min(self.wrong) >= LEAST_WRONG and self.together > self.by_chance + BEYOND_CHANCE * self.error


def pair_of(one: str | int, other: str | int) -> str:
    """Return the name of two programs, whichever comes first."""
    first, second = sorted((int(one), int(other)))
    return f"{first} {second}"


class Said(NamedTuple):
    """One answer of a program about something that people judged, too."""

    juror: str
    thing: Hashable
    """The same for all answers about the same thing."""
    wrong: float
    """The chance by people's answers alone that something is wrong."""
    alarmed: bool
    """The program found something wrong."""
    kinds: tuple[str, str]
    """The kind of thing if something is wrong, and if nothing is."""
    in_lot: bool

    @property
    def against(self) -> float:
        """The chance that it contradicts what people say."""
        return 1 - self.wrong if self.alarmed else self.wrong


Both = tuple[Said, Said]


def fit_shared_errors(said: Iterable[Said]) -> dict[str, SharedErrors]:
    """Return the record of each two programs that judged the same, named as in `pair_of`. `said`: in their order."""
    of_thing: dict[Hashable, dict[str, Said]] = defaultdict(dict)
    for one in said:
        of_thing[one.thing].setdefault(one.juror, one)
    pairs: dict[str, list[Both]] = defaultdict(list)
    for answers in of_thing.values():
        for first, second in combinations(sorted(answers.values(), key=lambda one: int(one.juror)), 2):
            pairs[pair_of(first.juror, second.juror)].append((first, second))
    return {pair: _record(_counting(own)) for pair, own in sorted(pairs.items())}


def _counting(own: list[Both]) -> list[Both]:
    """Return the newest things of the lot, none from before one of the two, or both together, turned."""
    against = [(first.against, second.against) for first, second in own]
    of_each = (since_turn([both[place] for both in against]) for place in (0, 1))
    begin = max(*of_each, since_turn([one * other for one, other in against]))
    return [both for both in own[begin:] if both[0].in_lot][-NEWEST:]


def _record(own: Sequence[Both]) -> SharedErrors:
    tables = _tables(own, [first.wrong for first, _ in own])
    for _ in range(ROUNDS):
        tables = _tables(own, [_chance(both, tables) for both in own])
    wrong, together, by_chance, variance = [0.0, 0.0], 0.0, 0.0, 0.0
    for table in tables.values():
        things, first, second = sum(table), table[2] + table[3], table[1] + table[3]
        wrong = [wrong[0] + first, wrong[1] + second]
        together += table[3]
        if things:
            by_chance += first * second / things
            variance += first * second * (things - first) * (things - second) / things**3
    return SharedErrors(
        len(own), (_rounded(wrong[0]), _rounded(wrong[1])), *map(_rounded, (together, by_chance, sqrt(variance)))
    )


def _tables(own: Sequence[Both], chances: Sequence[float]) -> dict[str, list[float]]:
    """Return for each kind the things with both right, the second wrong, the first wrong, and both wrong."""
    tables: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(IMAGINED))
    for both, wrong in zip(own, chances, strict=True):
        if_wrong, if_right = both[0].kinds
        tables[if_wrong][_cell(both, wrong=True)] += wrong
        tables[if_right][_cell(both, wrong=False)] += 1 - wrong
    return tables


def _cell(both: Both, *, wrong: bool) -> int:
    first, second = (one.alarmed is not wrong for one in both)
    return 2 * first + second


def _chance(both: Both, tables: dict[str, list[float]]) -> float:
    """Return the chance that something is wrong, by the two programs' answers as well."""
    if_wrong, if_right = (
        _share(tables[kind], _cell(both, wrong=wrong)) for kind, wrong in zip(both[0].kinds, (True, False), strict=True)
    )
    wrong, right = both[0].wrong * if_wrong, (1 - both[0].wrong) * if_right
    return wrong / (wrong + right)


def _share(table: Sequence[float], cell: int) -> float:
    return (table[cell] + IMAGINED[cell]) / (sum(table) + sum(IMAGINED))


def _rounded(number: float) -> float:
    return round(number, DIGITS)
