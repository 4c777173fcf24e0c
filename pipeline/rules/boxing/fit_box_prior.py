"""Fit of the box prior [beyond paper 3.2]: counts, errors and programs, from a project's own finished chains.

Every share is pulled towards that of the base as by some imagined chains or answers, so a few chains change little. The
truth is what the chains ended with.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipeline.rules.boxing.box_belief import BoxAnswer
from pipeline.rules.boxing.box_prior import COUNTS, DEFAULT, ERRORS, BoxPrior
from pipeline.rules.boxing.count_prior import listed_counts
from pipeline.rules.boxing.phrase_class import read_phrase
from pipeline.rules.boxing.program_trust import ProgramBox, counted
from pipeline.rules.tasks import box_coverage, box_quality, box_requirement
from pipeline.rules.tasks.task import Task

CHAINS = 30.0
"""Imagined chains of each type and of each phrase class that are as the base says."""
ANSWERS = 200.0
"""Imagined answers to each task that err as the base says: chains end as most answers say, so answers look too good."""
LEAST, LARGEST = 0.01, 0.45
"""The range of fitted shares without a box and of errors; a larger share without a box stays below 1 less the least."""
DIGITS = 4


class FinishedChain(NamedTuple):
    """One chain that is complete or non-visual."""

    types: frozenset[str]
    words: tuple[str, ...]
    """Of the representative mention, in lower case."""
    head: str
    kept: tuple[int, ...]
    """The boxes it ended with."""
    answers: tuple[BoxAnswer, ...] = ()
    programs: tuple[ProgramBox, ...] = ()
    """The programs' boxes that were taken."""


def fit_box_prior(chains: Iterable[FinishedChain], base: BoxPrior = DEFAULT) -> BoxPrior:
    """Return the prior for chains like these. Without chains it is the base."""
    chains = list(chains)
    if not chains:
        return base
    return BoxPrior(
        none=_none(chains, base),
        counts=_counts(chains, base),
        errors=_errors(chains, base),
        programs=counted(box for chain in chains if chain.kept for box in chain.programs),
        fitted_on=len(chains),
    )


def _none(chains: Sequence[FinishedChain], base: BoxPrior) -> dict[str, float]:
    found = {}
    for kind in DEFAULT.none:
        own = [chain for chain in chains if kind in chain.types]
        without = sum(not chain.kept for chain in own)
        share = (without + CHAINS * base.none_of(kind)) / (len(own) + CHAINS)
        found[kind] = round(min(max(share, LEAST), 1 - LEAST), DIGITS)
    return found


def _counts(chains: Sequence[FinishedChain], base: BoxPrior) -> dict[str, tuple[float, ...]]:
    seen = {kind: [0.0] * COUNTS for kind in DEFAULT.counts}
    for chain in chains:
        if chain.kept:
            reading = read_phrase(chain.words, chain.head)
            places = listed_counts(reading)
            boxes = len(chain.kept)
            seen[reading.kind.value][places.index(boxes) if boxes in places else COUNTS - 1] += 1
    found = {}
    for kind, own in seen.items():
        weights = base.counts_of(kind)
        expected = [CHAINS * weight / sum(weights) for weight in weights]
        shares = [(one + more) / (sum(own) + CHAINS) for one, more in zip(own, expected, strict=True)]
        found[kind] = tuple(round(share, DIGITS) for share in shares)
    return found


def _errors(chains: Sequence[FinishedChain], base: BoxPrior) -> dict[str, float]:
    wrong = {task: ANSWERS * base.error_of(task) for task in ERRORS}
    of = dict.fromkeys(ERRORS, ANSWERS)
    for chain in chains:
        for answer in chain.answers:
            if answer.trust is None:
                name = answer.task.value.removeprefix("box_")
                of[name] += 1
                wrong[name] += _is_wrong(answer, chain.kept)
    return {task: round(min(max(wrong[task] / of[task], LEAST), LARGEST), DIGITS) for task in ERRORS}


def _is_wrong(answer: BoxAnswer, kept: Sequence[int]) -> bool:
    """Return whether an answer differs from what the chain ended with."""
    missing = not set(kept) <= set(answer.shown)
    match answer.task:
        case Task.BOX_REQUIREMENT:
            return (answer.answer == box_requirement.Answer.BOX) != bool(kept)
        case Task.BOX_DRAWING:
            return missing if answer.box is None else answer.box not in kept
        case Task.BOX_QUALITY:
            return (answer.answer == box_quality.Answer.GOOD) != (answer.box in kept)
        case _:
            return (answer.answer == box_coverage.Answer.ALL_THERE) == missing
