"""Family of programs [beyond paper 3.3]: programs that count as one opinion until answers show that they are two.

Two fine-tunes of one model err alike. The requester says so, and their answers about one thing count once, as does a
box that one of them proposed and the other would judge. Two of a family are released once both erred often enough about
the same things and not more often together than chance explains, see `error_correlation`.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from belief.models.error_correlation import ErrorCorrelation, pair_of

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

    def are_one(self, one: Program, other: Program) -> bool:
        """Return whether two programs count as one opinion; each is one with itself."""
        if str(one) == str(other):
            return True
        name = self.names.get(str(one))
        if name is None or name != self.names.get(str(other)):
            return False
        pair = self.pairs.get(pair_of(one, other))
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
