"""Juror record [beyond paper 3.3]: how often a program that judges boxes was right where people judged, too.

A program looks at a box with the eyes of whoever trained it. So it may call good what another program proposed wrongly
for the same reason: its errors about bad boxes are counted by the source of the box, a person or one program.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, NamedTuple

from pydantic import ConfigDict, Field, Strict

from pipeline.rules.plain_errors import should_be

Amount = Annotated[float, Strict(), Field(ge=0), should_be("a number from 0")]
Tally = tuple[Amount, Amount]
"""Answers that were right, and wrong, in parts: the truth is known as a chance only."""
PERSON = "person"
"""The source of a box that a worker drew; the source of any other is the number of the program."""
UNKNOWN: Tally = (1.8, 0.2)
"""Imagined answers of a program that nobody knows."""
PULL = 6.0
"""Imagined answers of each kind, wrong as often as all of the program's answers."""
LEARNED = 24.0
"""Answers that were held against people's, before the others count."""
NONE: Tally = (0.0, 0.0)


class Mistakes(NamedTuple):
    """A juror's chances of a wrong answer, 0 to 1. They never add up to more than 1."""

    passed: float
    """Finds nothing wrong where something is: a bad box is good, all is there, no box is needed."""
    alarm: float
    """Finds something wrong where nothing is."""


GUESSES = Mistakes(0.5, 0.5)
"""Answers of which nothing is known say nothing."""


@dataclass(frozen=True)
class JurorRecord:
    """A program's answers to the tasks that judge boxes, held against people's."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    missing: Tally = NONE
    """Of missing boxes: found, and not found."""
    there: Tally = NONE
    """Of chains that miss none: said so, and not."""
    good: Tally = NONE
    """Of good boxes: called good, and bad."""
    bad: Mapping[str, Tally] = field(default_factory=dict)
    """Of bad boxes, by their source: called bad, and good."""

    @property
    def answers(self) -> float:
        """The answers that were held against people's."""
        return sum(map(sum, self._tallies()))

    @property
    def is_known(self) -> bool:
        """Whether enough answers were held against people's to let others count."""
        return self.answers >= LEARNED

    @property
    def wrong(self) -> float:
        """The share of wrong answers among all."""
        tallies = [*self._tallies(), UNKNOWN]
        wrong = sum(tally[1] for tally in tallies)
        return wrong / sum(map(sum, tallies))

    def of_missing(self) -> Mistakes:
        """Return how often it errs about missing boxes."""
        return _together(self._share(self.missing), self._share(self.there)) if self.is_known else GUESSES

    def of_box(self, source: str) -> Mistakes:
        """Return how often it errs about boxes of a source: PERSON, or the number of a program."""
        return _together(self._share(self.bad.get(source, NONE)), self._share(self.good)) if self.is_known else GUESSES

    def _tallies(self) -> list[Tally]:
        return [self.missing, self.there, self.good, *self.bad.values()]

    def _share(self, tally: Tally) -> float:
        right, wrong = tally
        return (wrong + PULL * self.wrong) / (right + wrong + PULL)


NOBODY_KNOWS = JurorRecord()


def _together(passed: float, alarm: float) -> Mistakes:
    """Keep an answer from saying the opposite: a juror that guesses says nothing."""
    most = passed + alarm
    return Mistakes(passed / most, alarm / most) if most > 1 else Mistakes(passed, alarm)
