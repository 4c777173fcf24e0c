"""Juror record [beyond paper 3.3]: how often a program that judges boxes was right where people judged, too.

A program looks at a box with the eyes of whoever trained it. So it may call good what another program proposed wrongly
for the same reason: its errors about bad boxes are counted by the source of the box, a person or one program.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict

from annotation.rules.plain_errors import should_be
from belief.annotators import GUESSES, Errors
from belief.models.program_number import ProgramNumber
from belief.models.said_right import Share
from belief.models.tally import LEARNED, NONE, Tally, held_against_people, mistakes, wrong_among

PERSON = "person"
"""The source of a box that a worker drew; the source of any other is the number of the program."""
BLIND: Tally = (0.6, 0.4)
"""Imagined answers about bad boxes of a program: called bad, and good. It may share the juror's blindness."""
Source = Annotated[Literal["person"] | ProgramNumber, should_be('"person" or the number of a program')]


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
    bad: Mapping[Source, Tally] = field(default_factory=dict)
    """Of bad boxes, by their source: called bad, and good."""
    weight: Share = 1.0
    """The share of its evidence that counts, see `said_right`."""
    wary: bool = False
    """Until its errors about bad boxes of a program are known, they are taken for as many as `BLIND` has."""

    @property
    def answers(self) -> float:
        """The answers that were held against people's."""
        return held_against_people(self._tallies())

    @property
    def is_known(self) -> bool:
        """Whether enough answers were held against people's to let others count."""
        return self.answers >= LEARNED

    @property
    def wrong(self) -> float:
        """The share of wrong answers among all."""
        return wrong_among(self._tallies())

    def of_missing(self) -> Errors:
        """Return how often it errs about missing boxes."""
        return mistakes(self.missing, self.there, self.wrong).at(self.weight) if self.is_known else GUESSES

    def of_box(self, source: str, *, akin: bool = False) -> Errors:
        """Return how often it errs about boxes of a source: PERSON, or the number of a program.

        `akin`: it proposed the box itself, or a program of its family did. Then it is taken to be blind to what is
        wrong with the box, until answers about that source show how often it sees it.
        """
        if not self.is_known:
            return GUESSES
        imagined = BLIND if self.wary and source != PERSON else NONE
        return mistakes(self.bad.get(source, NONE), self.good, self.wrong, imagined, blind=akin).at(self.weight)

    def _tallies(self) -> list[Tally]:
        return [self.missing, self.there, self.good, *self.bad.values()]


NOBODY_KNOWS = JurorRecord()
