"""Models that judge boxes [beyond paper 3.3]: what their answers are held against, and how sure they make a belief.

What is true of a box, or of missing ones, is a chance that follows from people's answers alone.

For calibration, a forecast is made at the first moment at which the answers that count make the belief sure of a chain
as it stands: of all its shown boxes together, or of no box. What people answer about the chain from then on tells
whether that is right. A model whose answers made the belief too sure, by more than chance, counts less until they do
not: its errors hang together in ways that its record does not show.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from belief.annotators import ErrorRates
from belief.boxes.box_answers import node_errors
from belief.boxes.box_belief import BoxAnswer, BoxBelief, BoxEvidence, belief_before
from belief.boxes.box_prior import BoxPrior
from belief.boxes.fit_box_errors import MIN_KNOWN_ANSWERS, KnownAnswers
from belief.boxes.tasks import BoxTask
from belief.models.calibration import (
    MAX_RATIO,
    MIN_CONFIDENCE,
    NEWEST_AUDITED,
    Calibration,
    SureForecast,
    calibrate,
    calibration_of,
)
from belief.models.error_correlation import ErrorCorrelation, fit_error_correlation
from belief.models.fit import ModelAnswer, fit_models
from belief.models.records import NO_ANSWERS, BoxRecord, Tally

SMALLEST = 1e-9
MISSING, THERE, GOOD, BAD = "missing", "there", "good", "bad "
"""The kinds of subjects: something is missing, nothing is, a good box, and (with its maker) a bad one."""
JudgedChain = tuple[BoxEvidence, bool]
"""All answers about a chain, and whether people answered about it whatever models said."""


def fit_box_models(chains: Iterable[JudgedChain], prior: BoxPrior) -> dict[str, BoxRecord]:
    """Return the record of each model. `chains`: in the order in which they ended."""
    records = fit_models(_all_answers(chains, prior), record_of=_record, mistakes_of=_error_rates)
    return {model: replace(record, wary=True) for model, record in records.items()}


def fit_box_pairs(chains: Iterable[JudgedChain], prior: BoxPrior) -> dict[str, ErrorCorrelation]:
    """Return how often each two models were wrong together. `chains`: as for `fit_box_models`."""
    by_several = (one for one in chains if len({each.model for each in one[0].answers if each.model}) > 1)
    return fit_error_correlation(_all_answers(by_several, prior))


def _record(tallies: Mapping[str, Tally]) -> BoxRecord:
    missing, there, good = (tallies.get(kind, NO_ANSWERS) for kind in (MISSING, THERE, GOOD))
    bad = {kind.removeprefix(BAD): tally for kind, tally in tallies.items() if kind.startswith(BAD)}
    return BoxRecord(missing, there, good, bad)


def _error_rates(record: BoxRecord, claim: ModelAnswer) -> ErrorRates:
    kind, _ = claim.kinds
    return record.of_missing() if kind == MISSING else record.of_box(kind.removeprefix(BAD), akin=claim.akin)


def _all_answers(chains: Iterable[JudgedChain], prior: BoxPrior) -> Iterator[ModelAnswer]:
    """Yield the models' claims. Chains with the same answers are weighed once."""
    made: dict[JudgedChain, list[ModelAnswer]] = {}
    for place, one in enumerate(chains):
        if one not in made:
            made[one] = list(_answers_of_models(one[0], prior, audited=one[1]))
        for claim in made[one]:
            yield claim._replace(subject=(place, claim.subject))


def _answers_of_models(chain: BoxEvidence, prior: BoxPrior, *, audited: bool) -> Iterator[ModelAnswer]:
    """Yield the models' answers about what people judged as well."""
    bad: dict[int, float] = {}
    missing: dict[tuple[int, ...], float] = {}
    belief = belief_before(chain)
    for answer in chain.answers:
        if answer.model is not None:
            continue
        belief = belief.after(answer, prior)
        bad |= {box: 1 - belief.p_good(box) for box in belief.shown}
        missing[belief.shown] = belief.p_missing if belief.shown else 1 - belief.p_no_box
    judged = {one.box for one in chain.answers if one.model is None and one.task is BoxTask.QUALITY}
    seen = {tuple(sorted(one.shown)) for one in chain.answers if _tells_of_missing(one)}
    for one in chain.answers:
        if one.model is None:
            continue
        if one.task is BoxTask.QUALITY:
            if one.box in judged and one.box in bad:
                kinds = f"{BAD}{one.maker}", GOOD
                yield ModelAnswer(one.model, one.about, bad[one.box], one.alarmed, kinds, audited, one.akin)
        elif (key := tuple(sorted(one.shown))) in seen and key in missing:
            yield ModelAnswer(one.model, one.about, missing[key], one.alarmed, (MISSING, THERE), audited)


def _tells_of_missing(one: BoxAnswer) -> bool:
    return one.model is None and one.trust is None and one.task is not BoxTask.QUALITY


# --- Calibration ---


def calibrate_boxes(prior: BoxPrior, audited: Iterable[BoxEvidence], known: Iterable[KnownAnswers] = ()) -> BoxPrior:
    """Return the prior with the calibration of each model, and with how much of its evidence counts.

    `audited`: all answers about each audited chain, in the order in which they ended. `known`: people's answers to
    known questions, by which their own calibration is measured.
    """
    chains = [one for one in audited if any(answer.model for answer in one.answers)][-NEWEST_AUDITED:]

    def held(prior: BoxPrior, models: Collection[str], *, people: bool) -> Calibration:
        asked = [one for one in chains if not people or any(each.model in models for each in one.answers if each.model)]
        return calibration_of(len(asked), _forecasts(asked, prior, models, people=people))

    return calibrate(prior, held, _calibration_of_people(known, prior))


def _forecasts(
    chains: Iterable[BoxEvidence], prior: BoxPrior, models: Collection[str], *, people: bool
) -> Iterator[SureForecast]:
    made: dict[BoxEvidence, SureForecast | None] = {}  # many audited chains had the same answers
    for chain in chains:
        if chain not in made:
            made[chain] = forecast_of(chain, prior, models, people=people)
        if forecast := made[chain]:
            yield forecast


def forecast_of(chain: BoxEvidence, prior: BoxPrior, models: Collection[str], *, people: bool) -> SureForecast | None:
    """Return the first thing that these answers made the belief sure of, with a model among them.

    None: there is none, or nobody was asked about it later. `models`: those that count. `people`: people's answers
    count, too; else the first of them ends it.
    """
    belief, heard = belief_before(chain), False
    for place, answer in enumerate(chain.answers):
        if not people and _by_person(answer):
            return None
        if answer.model is not None and answer.model not in models:
            continue
        belief, heard = belief.after(answer, prior), heard or answer.model is not None
        none, complete = belief.p_no_box, belief.p_complete
        if heard and max(none, complete) >= MIN_CONFIDENCE:
            kept = belief.shown if complete >= none else ()
            ratio = _ratio(belief, kept, chain.answers[place + 1 :], prior)
            return None if ratio is None else SureForecast(max(none, complete), ratio)
    return None


def _by_person(answer: BoxAnswer) -> bool:
    return answer.model is None and answer.trust is None


def _ratio(belief: BoxBelief, kept: Collection[int], later: Iterable[BoxAnswer], prior: BoxPrior) -> float | None:
    """Return the likelihood of people's later answers if exactly these boxes are right, over that if not.

    Answers after one of the boxes was dropped are about something else. None: there are no others.
    """
    before, asked = belief.p_exactly(kept), False
    for answer in later:
        if answer.model is not None:
            continue
        if answer.task is not BoxTask.QUALITY and not set(kept).issubset(answer.shown):
            break
        belief, asked = belief.after(answer, prior), asked or answer.trust is None
    return min(_odds(belief.p_exactly(kept)) / _odds(before), MAX_RATIO) if asked else None


def _odds(chance: float) -> float:
    return max(chance, SMALLEST) / max(1 - chance, SMALLEST)


def _calibration_of_people(known: Iterable[KnownAnswers], prior: BoxPrior) -> Calibration:
    """Return how sure people's answers to known questions make a belief, and whether most of them were right."""
    asked = [one for one in known if one.right + one.wrong >= MIN_KNOWN_ANSWERS and one.right != one.wrong]
    forecasts = (_forecast_of_people(one, prior) for one in asked)
    return calibration_of(len(asked), (one for one in forecasts if one.said >= MIN_CONFIDENCE))


def _forecast_of_people(known: KnownAnswers, prior: BoxPrior) -> SureForecast:
    more, fewer = max(known), min(known)
    wrong = node_errors(prior.error_of(BoxTask.QUALITY))
    if_right, if_wrong = (float(np.mean((1 - each) ** more * each**fewer)) for each in (wrong, 1 - wrong))
    said = if_right / (if_right + if_wrong) * (1 - prior.unseen)
    return SureForecast(said, MAX_RATIO if known.right > known.wrong else 1 / MAX_RATIO)
