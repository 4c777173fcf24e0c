"""Fit of models [beyond paper 3.3]: how often each model that judges errs, from what people answered about the same.

The confusion of each model is fitted as by Dawid and Skene (1979), with expectation maximisation. People's answers
alone give each subject a chance w that something is wrong with it. With the model's miss rate m and false alarm rate f,

    P(wrong | alarm)    = w (1 - m) / (w (1 - m) + (1 - w) f)
    P(wrong | no alarm) = w m       / (w m       + (1 - w) (1 - f))

are counted into a tally for each kind of subject (right, wrong), and the tallies give m and f anew.

Only audited subjects count: elsewhere people are asked where a model's answer leaves doubt, so its errors would be met
more often than they are made. But there, too, a model that suddenly contradicts people more often has drifted: what it
answered before counts no longer.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import NamedTuple, TypeVar

from belief.annotators import ErrorRates
from belief.models.records import Tally

ROUNDS = 12
TALLY_DIGITS = 2
"""The decimals that a tally keeps, so that a fit is the same on machines whose sums differ in the last digits."""
R = TypeVar("R")


class ModelAnswer(NamedTuple):
    """One answer of a model about something that people judged, too."""

    model: str
    """The number of the model."""
    subject: Hashable
    """The same for all answers about the same thing."""
    chance: float
    """The chance, 0 to 1, by people's answers alone that something is wrong with the subject."""
    alarmed: bool
    """The model found something wrong."""
    kinds: tuple[str, str]
    """The kind of the subject if something is wrong, and if nothing is; each kind has a tally of its own."""
    audited: bool
    """People answered whatever models said."""
    same_family: bool = False
    """The model, or another of its family, had made the subject."""

    @property
    def against(self) -> float:
        """The chance that the answer contradicts people's."""
        return 1 - self.chance if self.alarmed else self.chance


def fit_models(
    answers: Iterable[ModelAnswer],
    *,
    record_of: Callable[[Mapping[str, Tally]], R],
    errors_of: Callable[[R, ModelAnswer], ErrorRates],
) -> dict[str, R]:
    """Return the record of each model, by its number.

    `answers`: oldest first. `record_of`: makes a record of tallies by kind; an empty table is that of an unknown model.
    `errors_of`: how often a model with this record errs about the subject of a claim.
    """
    of_model: dict[str, list[ModelAnswer]] = defaultdict(list)
    for answer in answers:
        of_model[answer.model].append(answer)
    return {model: _fit(newest(answers), record_of, errors_of) for model, answers in sorted(of_model.items())}


def newest(answers: Sequence[ModelAnswer]) -> list[ModelAnswer]:
    """Return the newest audited claims of one model, none from before it drifted."""
    against, audited = [answer.against for answer in answers], [answer.audited for answer in answers]
    return [answers[place] for place in counted_places(against, audited)]


def _fit(
    answers: Iterable[ModelAnswer],
    record_of: Callable[[Mapping[str, Tally]], R],
    errors_of: Callable[[R, ModelAnswer], ErrorRates],
) -> R:
    alike = Counter(answer._replace(subject=None) for answer in answers)
    record = record_of({})
    for _ in range(ROUNDS):
        tallies: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for answer, number in alike.items():
            wrong, (at_fault, at_rest) = _chance_wrong(answer, errors_of(record, answer)), answer.kinds
            tallies[at_fault][not answer.alarmed] += number * wrong
            tallies[at_rest][answer.alarmed] += number * (1 - wrong)
        rounded = {
            kind: (round(right, TALLY_DIGITS), round(bad, TALLY_DIGITS)) for kind, (right, bad) in tallies.items()
        }
        record = record_of(rounded)
    return record


def _chance_wrong(answer: ModelAnswer, errors: ErrorRates) -> float:
    """Return the chance that something is wrong with the subject, by the model's answer as well."""
    if_wrong = answer.chance * (1 - errors.miss if answer.alarmed else errors.miss)
    if_right = (1 - answer.chance) * (errors.false_alarm if answer.alarmed else 1 - errors.false_alarm)
    return if_wrong / (if_wrong + if_right)


NEWEST_ANSWERS = 240
"""The newest answers of a model that count."""
WINDOW = 60
"""The newest answers of a model that are compared with those before ..."""
DRIFT_ERRORS, MIN_DRIFT = 4.5, 0.05
"""... and the standard errors, and the share of all, by which they contradict people more often if it has drifted."""


def counted_places(against: Sequence[float], audited: Sequence[bool]) -> list[int]:
    """Return the places of the answers that count: the newest audited ones, none from before the model drifted.

    `against`: for each answer, oldest first, the chance, 0 to 1, that it contradicts what people say. `in_audit`:
    whether people answered whatever it said.
    """
    begin = 0
    for kind in (True, False):
        places = [place for place, is_audited in enumerate(audited) if is_audited is kind]
        if first := since_drift([against[place] for place in places]):
            begin = max(begin, places[first])
    return [place for place in range(begin, len(against)) if audited[place]][-NEWEST_ANSWERS:]


def since_drift(against: Sequence[float]) -> int:
    """Return the place of the first answer since the last drift, 0 if there was none. `against`: of one kind."""
    for end in range(len(against), 2 * WINDOW - 1, -WINDOW // 4):
        before, after = against[max(0, end - WINDOW - NEWEST_ANSWERS) : end - WINDOW], against[end - WINDOW : end]
        spread = _variance([*before, 1.0])  # a program that was never wrong can be, by chance
        error = sqrt(spread * (1 / len(before) + 1 / len(after)))
        if fmean(after) > fmean(before) + max(DRIFT_ERRORS * error, MIN_DRIFT):
            return end - WINDOW
    return 0


def _variance(values: Sequence[float]) -> float:
    """Return the variance in plain numbers: `statistics.pvariance` adds up fractions, which takes ten times as long."""
    mean = fmean(values)
    return fmean([(value - mean) ** 2 for value in values])
