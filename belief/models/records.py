"""Records of models [beyond paper 3.3]: how often each model that judges was right where people judged, too.

A model looks at a box with the eyes of whoever trained it. So it may call good what a proposer proposed wrongly for the
same reason: its errors about bad boxes are counted by who made the box, a person or one proposer. About links, it
judges one pair at a time, as a worker does, and the same pair once.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal

from annotation.rules.plain_errors import should_be
from belief.annotators import GUESSES, ErrorRates
from belief.values import Amount, ProgramNumber, Share, Stored

Tally = tuple[Amount, Amount]
"""Answers that were right, and wrong, in parts: the truth is known as a chance only."""
UNKNOWN_PROGRAM: Tally = (1.8, 0.2)
"""Imagined answers of a program that nobody knows."""
IMAGINED_ANSWERS = 6.0
"""Imagined answers of each kind, wrong as often as all of the program's answers."""
MIN_ANSWERS = 24.0
"""Answers that were held against people's, before the others count."""
NO_ANSWERS: Tally = (0.0, 0.0)


def error_rates(
    something: Tally, nothing: Tally, wrong: float, imagined: Tally = NO_ANSWERS, *, blind: bool = False
) -> ErrorRates:
    """Return how often a model errs where something is wrong, and where nothing is.

    `wrong`: the share among all its answers, which few answers are pulled to. `imagined`: answers about something wrong
    that a few answers are pulled to instead, if there are any. `blind`: few answers are pulled to those of a model that
    never sees what is wrong. A model that guesses says nothing, and none says the opposite.
    """
    good, bad = imagined
    alarm = _share(nothing, wrong)
    if blind:
        passed = _share(something, 1 - alarm, MIN_ANSWERS)
    else:
        passed = (something[1] + bad) / (sum(something) + good + bad) if good + bad else _share(something, wrong)
    total = passed + alarm
    return ErrorRates(passed / total, alarm / total) if total > 1 else ErrorRates(passed, alarm)


def _share(tally: Tally, wrong: float, pull: float = IMAGINED_ANSWERS) -> float:
    good, bad = tally
    return (bad + pull * wrong) / (good + bad + pull)


PERSON = "person"
"""The maker of a box that a worker drew; the maker of any other is the number of the program."""
BLIND_ANSWERS: Tally = (0.6, 0.4)
"""Imagined answers about bad boxes of a program: called bad, and good. It may share the model's blindness."""
Maker = Annotated[Literal["person"] | ProgramNumber, should_be('"person" or the number of a program')]


@dataclass(frozen=True)
class ModelRecord(Stored, ABC):
    """The tallies of a model, whatever it judges: how often it was right."""

    weight: Share = field(default=1.0, kw_only=True)
    """The share of its evidence that counts, see `calibration`."""

    @property
    def answers(self) -> float:
        """The answers that were held against people's."""
        return sum(map(sum, self._tallies()))

    @property
    def is_known(self) -> bool:
        """Whether enough answers were held against people's to let others count."""
        return self.answers >= MIN_ANSWERS

    @property
    def wrong(self) -> float:
        """The share of wrong answers among all."""
        every = [*self._tallies(), UNKNOWN_PROGRAM]
        return sum(wrong for _, wrong in every) / sum(map(sum, every))

    @abstractmethod
    def _tallies(self) -> list[Tally]:
        """Return the tallies of all kinds of answers."""


@dataclass(frozen=True)
class BoxRecord(ModelRecord):
    """A program's answers to the tasks that judge boxes, held against people's."""

    missing: Tally = NO_ANSWERS
    """Of boxes missing beside others: found, and not found."""
    there: Tally = NO_ANSWERS
    """Of chains that miss none beside their boxes: said so, and not."""
    good: Tally = NO_ANSWERS
    """Of good boxes: called good, and bad."""
    bad: Mapping[Maker, Tally] = field(default_factory=dict)
    """Of bad boxes, by their maker: called bad, and good."""
    needed: Tally = NO_ANSWERS
    """Of chains that need a box and had none: said so, and not."""
    absent: Tally = NO_ANSWERS
    """Of chains without a box: said so, and not; many models find what is not there."""
    wary: bool = False
    """Until its errors about bad boxes of a program are known, they are taken for as many as `BLIND_ANSWERS` has."""

    def of_missing(self) -> ErrorRates:
        """Return how often it errs about boxes missing beside others."""
        return error_rates(self.missing, self.there, self.wrong).tempered(self.weight) if self.is_known else GUESSES

    def of_requirement(self) -> ErrorRates:
        """Return how often it says that a chain needs no box, and that one without a box needs one."""
        return error_rates(self.needed, self.absent, self.wrong).tempered(self.weight) if self.is_known else GUESSES

    def of_box(self, maker: str, *, same_family: bool = False) -> ErrorRates:
        """Return how often it errs about boxes of a maker: PERSON, or the number of a program.

        `same_family`: it proposed the box itself, or a program of its family did. Then it is taken to be blind to what
        is wrong with the box, until answers about that maker show how often it sees it.
        """
        if not self.is_known:
            return GUESSES
        imagined = BLIND_ANSWERS if self.wary and maker != PERSON else NO_ANSWERS
        rates = error_rates(self.bad.get(maker, NO_ANSWERS), self.good, self.wrong, imagined, blind=same_family)
        return rates.tempered(self.weight)

    def _tallies(self) -> list[Tally]:
        return [self.missing, self.there, self.good, *self.bad.values(), self.needed, self.absent]


NEW_BOX_MODEL = BoxRecord()


MIN_ERROR = 0.01
"""No program counts as more often right than this error leaves room for."""


@dataclass(frozen=True)
class LinkRecord(ModelRecord):
    """A program's answers about links, held against people's."""

    same: Tally = NO_ANSWERS
    """Of pairs that corefer: said so, and not."""
    different: Tally = NO_ANSWERS
    """Of pairs that do not: said so, and not."""

    def of_pairs(self) -> ErrorRates:
        """Return how often it calls different things the same (passed), and the same different (alarm)."""
        return error_rates(self.different, self.same, self.wrong) if self.is_known else GUESSES

    def ratio(self, *, same: bool) -> float:
        """Return the logarithm of the likelihood of an answer if the two corefer, over that if they do not."""
        passed, alarm = (max(error, MIN_ERROR) for error in self.of_pairs())
        return self.weight * (math.log((1 - alarm) / passed) if same else math.log(alarm / (1 - passed)))

    def _tallies(self) -> list[Tally]:
        return [self.same, self.different]


NEW_LINK_MODEL = LinkRecord()


SUSPECTED_AUDIT = 0.2
"""The share, at least, while a program's answers make a belief too sure of itself."""


class LinkAudit(StrEnum):
    """The audit of an image's links."""

    PEOPLE = "people"
    """People answer about them whatever models say."""
    CLOSELY = "closely"
    """Of a checked data set: people are asked more than doubt demands, so that the share of wrong ones shows."""
    BOTH = "both"


def audit_share(records: Iterable[ModelRecord], usual: float) -> float:
    """Return the share, 0 to 1. `records`: of the programs at work; `usual`: the project's setting.

    It is 1 while nobody knows how good one of them is, and at least SUSPECTED_AUDIT while one counts less than in full.
    """
    audited = list(records)
    if not all(record.is_known for record in audited):
        return 1.0
    return max(usual, SUSPECTED_AUDIT) if any(record.weight < 1 for record in audited) else usual
