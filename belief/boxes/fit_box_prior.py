"""Fit of the box prior [beyond paper 3.2]: numbers of boxes and programs, from a project's own finished chains.

Every share is pulled towards that of the base as by some imagined chains, so a few chains change little. The truth of
numbers and programs is what the chains ended with; the crowd's errors follow from all answers, whatever is true.

Models that judge are held against what people answered. For calibration, a forecast is made at the first moment at
which the answers that count make the belief sure of a chain as it stands: of all its shown boxes together, or of no
box. What people answer about the chain from then on tells whether that is right. A model whose answers made the belief
too sure, by more than chance, counts less until they do not: its errors hang together in ways that its record does not
show.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from belief.annotators import ErrorRates
from belief.boxes.box_answers import BoxTask, node_errors
from belief.boxes.box_belief import BoxAnswer, BoxBelief, BoxEvidence, belief_before
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
from belief.known_answers import KnownAnswers, decided
from belief.models.calibration import (
    MAX_RATIO,
    MIN_CONFIDENCE,
    NEWEST_AUDITED,
    Calibration,
    SureForecast,
    calibrate,
    calibration_of,
)
from belief.models.error_correlation import NO_FAMILIES, Families, fit_error_correlation
from belief.models.fit import ModelAnswer, fit_models
from belief.models.records import NO_ANSWERS, BoxRecord, Tally

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


SMALLEST = 1e-9
MISSING, THERE, NEEDED, ABSENT, GOOD, BAD = "missing", "there", "needed", "absent", "good", "bad "
"""The kinds of subjects: a box is missing beside others, and none is; a chain that shows no box needs one, and none; a
good box, and (with its maker) a bad one."""
JudgedChain = tuple[BoxEvidence, bool]
"""All answers about a chain, and whether people answered about it whatever models said."""


def with_box_models(prior: BoxPrior, chains: Iterable[JudgedChain]) -> BoxPrior:
    """Return the prior with the record of each model, and with how often each two were wrong together.

    `chains`: in the order in which they ended.
    """
    answers = list(_all_answers(chains, prior))
    records = fit_models(answers, record_of=_record, errors_of=_error_rates)
    wary = {model: replace(record, wary=True) for model, record in records.items()}
    return replace(prior, model_annotators=wary, pairs=fit_error_correlation(answers))


def _record(tallies: Mapping[str, Tally]) -> BoxRecord:
    missing, there, good, needed, absent = (
        tallies.get(kind, NO_ANSWERS) for kind in (MISSING, THERE, GOOD, NEEDED, ABSENT)
    )
    bad = {kind.removeprefix(BAD): tally for kind, tally in tallies.items() if kind.startswith(BAD)}
    return BoxRecord(missing, there, good, bad, needed, absent)


def _error_rates(record: BoxRecord, answer: ModelAnswer) -> ErrorRates:
    kind, _ = answer.kinds
    if kind == MISSING:
        return record.of_missing()
    if kind == NEEDED:
        return record.of_requirement()
    return record.of_box(kind.removeprefix(BAD), same_family=answer.same_family)


def _all_answers(chains: Iterable[JudgedChain], prior: BoxPrior) -> Iterator[ModelAnswer]:
    """Yield the models' claims. Chains with the same answers are weighed once."""
    answers_of = cache(lambda chain, audited: list(_answers_of_models(chain, prior, audited=audited)))
    for place, chain in enumerate(chains):
        for answer in answers_of(*chain):
            yield answer._replace(subject=(place, answer.subject))


def _answers_of_models(chain: BoxEvidence, prior: BoxPrior, *, audited: bool) -> Iterator[ModelAnswer]:
    bad: dict[int, float] = {}
    missing: dict[tuple[int, ...], float] = {}
    belief = belief_before(chain)
    for answer in chain.answers:
        if answer.model is not None:
            continue
        belief = belief.after(answer, prior)
        bad |= {box: 1 - belief.p_good(box) for box in belief.shown}
        missing[belief.shown] = belief.p_missing if belief.shown else 1 - belief.p_no_box
    judged = {answer.box for answer in chain.answers if answer.model is None and answer.task is BoxTask.QUALITY}
    seen = {
        tuple(sorted(answer.shown))
        for answer in chain.answers
        if answer.by_person and answer.task is not BoxTask.QUALITY
    }
    for answer in chain.answers:
        if answer.model is None:
            continue
        if answer.task is BoxTask.QUALITY:
            if answer.box in judged and answer.box in bad:
                kinds = f"{BAD}{answer.maker}", GOOD
                model, about = answer.model, answer.about
                yield ModelAnswer(model, about, bad[answer.box], answer.alarmed, kinds, audited, answer.same_family)
        elif (key := tuple(sorted(answer.shown))) in seen and key in missing:
            kinds = (NEEDED, ABSENT) if answer.task is BoxTask.REQUIREMENT else (MISSING, THERE)
            yield ModelAnswer(answer.model, answer.about, missing[key], answer.alarmed, kinds, audited)


# --- Calibration ---


def calibrate_boxes(prior: BoxPrior, audited: Iterable[BoxEvidence], known: Iterable[KnownAnswers] = ()) -> BoxPrior:
    """Return the prior with the calibration of each model, and with how much of its evidence counts.

    `audited`: all answers about each audited chain, in the order in which they ended. `known`: people's answers to
    known questions, by which their own calibration is measured.
    """
    chains = [chain for chain in audited if any(answer.model for answer in chain.answers)][-NEWEST_AUDITED:]

    def measure(prior: BoxPrior, models: Collection[str], *, people: bool) -> Calibration:
        judged = [chain for chain in chains if not people or any(answer.model in models for answer in chain.answers)]
        return calibration_of(len(judged), _forecasts(judged, prior, models, people=people))

    return calibrate(prior, measure, _calibration_of_people(known, prior))


def _forecasts(
    chains: Iterable[BoxEvidence], prior: BoxPrior, models: Collection[str], *, people: bool
) -> Iterator[SureForecast]:
    forecast = cache(lambda chain: forecast_of(chain, prior, models, people=people))  # many had the same answers
    return (made for chain in chains if (made := forecast(chain)))


def forecast_of(chain: BoxEvidence, prior: BoxPrior, models: Collection[str], *, people: bool) -> SureForecast | None:
    """Return the first thing that these answers made the belief sure of, with a model among them.

    None: there is none, or nobody was asked about it later. `models`: those that count. `people`: people's answers
    count, too; else the first of them ends it.
    """
    belief, by_model = belief_before(chain), False
    for place, answer in enumerate(chain.answers):
        if not people and answer.by_person:
            return None
        if answer.model is not None and answer.model not in models:
            continue
        belief, by_model = belief.after(answer, prior), by_model or answer.model is not None
        none, complete = belief.p_no_box, belief.p_complete
        if by_model and max(none, complete) >= MIN_CONFIDENCE:
            boxes = belief.shown if complete >= none else ()
            ratio = _ratio(belief, boxes, chain.answers[place + 1 :], prior)
            return None if ratio is None else SureForecast(max(none, complete), ratio)
    return None


def _ratio(belief: BoxBelief, boxes: Collection[int], later: Iterable[BoxAnswer], prior: BoxPrior) -> float | None:
    """Return the likelihood of people's later answers if exactly these boxes are right, over that if not.

    Answers after one of the boxes was dropped are about something else. None: there are no others.
    """
    before, answered = belief.p_exactly(boxes), False
    for answer in later:
        if answer.model is not None:
            continue
        if answer.task is not BoxTask.QUALITY and not set(boxes).issubset(answer.shown):
            break
        belief, answered = belief.after(answer, prior), answered or answer.trust is None
    return min(_odds(belief.p_exactly(boxes)) / _odds(before), MAX_RATIO) if answered else None


def _odds(chance: float) -> float:
    return max(chance, SMALLEST) / max(1 - chance, SMALLEST)


def _calibration_of_people(known: Iterable[KnownAnswers], prior: BoxPrior) -> Calibration:
    """Return how sure people's answers to known questions make a belief, and whether most of them were right."""
    asked = decided(known)
    forecasts = (_forecast_of_people(question, prior) for question in asked)
    return calibration_of(len(asked), (forecast for forecast in forecasts if forecast.chance >= MIN_CONFIDENCE))


def _forecast_of_people(known: KnownAnswers, prior: BoxPrior) -> SureForecast:
    more, fewer = max(known), min(known)
    wrong = node_errors(prior.error_of(BoxTask.QUALITY))
    if_right, if_wrong = (float(np.mean((1 - error) ** more * error**fewer)) for error in (wrong, 1 - wrong))
    chance = if_right / (if_right + if_wrong) * (1 - prior.unseen)
    return SureForecast(chance, MAX_RATIO if known.right > known.wrong else 1 / MAX_RATIO)
