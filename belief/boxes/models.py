"""Models that judge boxes [beyond paper 3.3]: what their answers are held against, and how sure they make a belief.

What is true of a box, or of missing ones, is a chance that follows from people's answers alone.

For calibration, a forecast is made at the first moment at which the answers that count make the belief sure of a chain
as it stands: of all its shown boxes together, or of no box. What people answer about the chain from then on tells
whether that is right. A model whose answers made the belief too sure, by more than chance, counts less until they do
not: its errors hang together in ways that its record does not show.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from belief.annotators import ErrorRates
from belief.boxes.box_answers import BoxTask, node_errors
from belief.boxes.box_belief import BoxAnswer, BoxBelief, BoxEvidence, belief_before
from belief.boxes.box_prior import BoxPrior
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
from belief.models.error_correlation import fit_error_correlation
from belief.models.fit import ModelAnswer, fit_models
from belief.models.records import NO_ANSWERS, BoxRecord, Tally

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
    return record.of_box(kind.removeprefix(BAD), akin=answer.akin)


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
                yield ModelAnswer(model, about, bad[answer.box], answer.alarmed, kinds, audited, answer.akin)
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
