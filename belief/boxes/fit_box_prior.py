"""Fit of the box prior [beyond paper 3.2]: numbers of boxes and programs, from a project's own finished chains.

Every share is pulled towards that of the base as by some imagined chains, so a few chains change little. The truth of
numbers and programs is what the chains ended with; the crowd's errors follow from all answers, whatever is true.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from belief.boxes.box_answers import BoxTask
from belief.boxes.box_belief import BoxAnswer, BoxEvidence
from belief.boxes.box_prior import (
    COUNT_CLASSES,
    DEFAULT,
    BoxPrior,
    ProgramRecord,
    counts_of,
    listed_counts,
    read_phrase,
)
from belief.boxes.fit_box_errors import BASE_UNSEEN, fit_box_errors, fit_unseen
from belief.boxes.models import calibrate_boxes, with_box_models
from belief.boxes.proposers import (
    NO_BOXES,
    PredictedNumbers,
    ProgramBox,
    SecondOpinion,
    count_agreements,
    count_boxes,
    count_numbers,
    with_predicted,
)
from belief.habits import KnownDrawing, fit_habits
from belief.known_answers import KnownAnswers
from belief.models.family import NO_FAMILIES, Families

IMAGINED_CHAINS = 30.0
"""Imagined chains of each type and of each phrase class that are as the base says."""
MIN_SHARE = 0.01
"""A fitted share without a box lies between this and 1 less this."""
SHARE_DIGITS = 4
MAX_CHAINS = 500
"""The crowd's errors are fitted on the answers of this many chains at most, drawn evenly."""


class FinishedChain(NamedTuple):
    """One chain that is complete or non-visual."""

    types: frozenset[str]
    words: tuple[str, ...]
    """Of the representative mention, in lower case."""
    head: str
    boxes: tuple[int, ...]
    """The boxes it ended with."""
    programs: tuple[ProgramBox, ...] = ()
    """The programs' boxes that were taken."""
    pre_annotated: PredictedNumbers = MappingProxyType({})
    """By program, the number of boxes that it proposed."""
    answers: tuple[BoxAnswer, ...] = ()
    """All answers about its boxes, in their order, models' too; empty where some are not known any more."""
    second_opinions: tuple[SecondOpinion, ...] = ()
    """The word of programs on each other's boxes that were taken."""
    audited: bool = False
    """People answered about it whatever models said."""


def fit_box_prior(
    chains: Iterable[FinishedChain],
    base: BoxPrior = DEFAULT,
    known: Iterable[KnownAnswers] = (),
    drawings: Iterable[KnownDrawing] = (),
    families: Families = NO_FAMILIES,
) -> BoxPrior:
    """Return the prior for chains like these. Without chains it is the base.

    `known`: answers to known questions, and `drawings` those of box drawing.
    """
    chains = list(chains)
    if not chains:
        return base
    numbers = count_numbers((len(chain.boxes), chain.pre_annotated) for chain in chains)
    programs = {name: ProgramRecord(NO_BOXES, NO_BOXES, rows) for name, rows in numbers.items()}
    none, counts = _shares_without_box(chains, base), _count_weights(chains, base)
    boxes = BoxPrior(none=none, counts=counts, errors=base.errors, programs=programs)
    # Once each way: people's errors follow from all answers, models' among them, and models' from what people err.
    boxes = _with_models(chains, boxes, families)
    answered = [_one_per_family(_evidence(chain, boxes, families), families) for chain in chains if chain.answers]
    boxes = replace(boxes, errors=fit_box_errors(answered[:: -(-len(answered) // MAX_CHAINS) or 1], boxes))
    taken = (box for chain in chains if chain.boxes for box in chain.programs)
    # A program whose boxes a blind model may have judged is not set aside for that.
    plain = {model: replace(record, wary=False) for model, record in boxes.model_annotators.items()}
    judged = count_boxes(taken, boxes.error_of(BoxTask.QUALITY), plain)
    agreed = count_agreements(opinion for chain in chains for opinion in chain.second_opinions)
    records = {**programs, **base.programs, **judged}
    for name, record in programs.items():
        records[name] = replace(records[name], numbers=record.numbers, agreed=agreed.get(name, ()))
    known = list(known)
    fitted = replace(
        boxes,
        fitted_on=len(chains),
        programs=records,
        unseen=fit_unseen(known, base.unseen or BASE_UNSEEN),
        habits={**base.habits, **fit_habits(drawings)},
    )
    learned = _with_models(chains, fitted, families)
    audited = (_one_per_family(_evidence(chain, learned, families), families) for chain in chains if chain.audited)
    return calibrate_boxes(learned, audited, known)


def _with_models(chains: Iterable[FinishedChain], prior: BoxPrior, families: Families) -> BoxPrior:
    """Return the prior with what chains that models judged tell of them."""
    judged = (chain for chain in chains if any(answer.model for answer in chain.answers))
    return with_box_models(prior, ((_evidence(chain, prior, families), chain.audited) for chain in judged))


def _evidence(chain: FinishedChain, prior: BoxPrior, families: Families) -> BoxEvidence:
    counts = counts_of(chain.types, chain.words, chain.head, prior)
    return BoxEvidence(with_predicted(counts, families.first_of_each(chain.pre_annotated), prior), chain.answers)


def _one_per_family(evidence: BoxEvidence, families: Families) -> BoxEvidence:
    """Leave out what a program said after another of its family."""
    return evidence._replace(answers=tuple(families.firsts(evidence.answers, lambda one: (one.model, one.about))))


def _shares_without_box(chains: Sequence[FinishedChain], base: BoxPrior) -> dict[str, float]:
    shares = {}
    for kind in DEFAULT.none:
        of_type = [chain for chain in chains if kind in chain.types]
        without = sum(not chain.boxes for chain in of_type)
        share = (without + IMAGINED_CHAINS * base.none_of(kind)) / (len(of_type) + IMAGINED_CHAINS)
        shares[kind] = round(min(max(share, MIN_SHARE), 1 - MIN_SHARE), SHARE_DIGITS)
    return shares


def _count_weights(chains: Sequence[FinishedChain], base: BoxPrior) -> dict[str, tuple[float, ...]]:
    seen = {kind: [0.0] * COUNT_CLASSES for kind in DEFAULT.counts}
    for chain in chains:
        if chain.boxes:
            reading = read_phrase(chain.words, chain.head)
            places = listed_counts(reading)
            boxes = len(chain.boxes)
            seen[reading.kind.value][places.index(boxes) if boxes in places else COUNT_CLASSES - 1] += 1
    fitted = {}
    for kind, seen_of_kind in seen.items():
        weights = base.counts_of(kind)
        expected = [IMAGINED_CHAINS * weight / sum(weights) for weight in weights]
        number = sum(seen_of_kind) + IMAGINED_CHAINS
        shares = [(count + more) / number for count, more in zip(seen_of_kind, expected, strict=True)]
        fitted[kind] = tuple(round(share, SHARE_DIGITS) for share in shares)
    return fitted
