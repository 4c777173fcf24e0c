"""Models that judge links [beyond paper 3.1.1]: what their answers are held against, and how sure they make a belief.

The chance that a pair is two things follows from people's answers alone.

For calibration, a forecast is a pair that the belief is sure of, either way, by the models' answers and by what people
answered about other pairs. People's answers to the pair itself tell whether that is right. A model whose answers made
the belief too sure, by more than chance, counts less until they do not.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from annotation.rules.transitivity import Pair
from belief.links.answer_model import CrowdErrors, weigh
from belief.links.group_belief import leave_one_out_chances, pair_chances
from belief.links.link_prior import LinkPrior
from belief.links.refit_from_answers import JudgedGroup
from belief.models.calibration import (
    MIN_CONFIDENCE,
    NEWEST_AUDITED,
    Calibration,
    SureForecast,
    calibrate,
    calibration_of,
)
from belief.models.error_correlation import fit_error_correlation
from belief.models.fit import ModelAnswer, fit_models
from belief.models.records import NO_ANSWERS, LinkRecord, Tally

PAIR_KINDS = ("different", "same")


def with_link_models(prior: LinkPrior, groups: Iterable[JudgedGroup], errors: CrowdErrors) -> LinkPrior:
    """Return the prior with the record of each model, and with how often each two were wrong together.

    `groups`: in the order in which they were judged. `errors`: of the crowd.
    """
    answers = list(_all_answers(groups, prior, errors))
    records = fit_models(answers, record_of=_record, errors_of=lambda record, _: record.of_pairs())
    return replace(prior, model_annotators=records, pairs_of_models=fit_error_correlation(answers))


def _record(tallies: Mapping[str, Tally]) -> LinkRecord:
    return LinkRecord(tallies.get("same", NO_ANSWERS), tallies.get("different", NO_ANSWERS))


def _all_answers(groups: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors) -> Iterator[ModelAnswer]:
    """Yield the models' answers about pairs that people judged as well."""
    for place, group in enumerate(groups):
        both = [pair for pair in group.model_answers if group.answers.get(pair)]
        same = pair_chances(group.mentions, group.answers, prior=prior, errors=errors) if both else {}
        for pair in both:
            for model, said_same in group.model_answers[pair] if pair in same else ():
                yield ModelAnswer(str(model), (place, pair), 1 - same[pair], not said_same, PAIR_KINDS, group.audited)


# --- Calibration ---


def calibrate_links(prior: LinkPrior, groups: Iterable[JudgedGroup], errors: CrowdErrors) -> LinkPrior:
    """Return the prior with the calibration of each model, and with how much of its evidence counts.

    `groups`: in the order in which they were judged; audited ones count. `errors`: of the crowd.
    """
    audited = [group for group in groups if group.audited and group.model_answers][-NEWEST_AUDITED:]

    def measure(prior: LinkPrior, models: Collection[str], *, people: bool) -> Calibration:
        records = {model: prior.model_annotators[model] for model in models}
        judged = [(group, evidence) for group in audited if (evidence := _evidence_of_models(group, records))]
        made = (
            forecast
            for group, evidence in judged
            for forecast in forecasts_of(group, evidence, prior, errors, people=people)
        )
        return calibration_of(len(judged), made)

    return calibrate(prior, measure)


def _evidence_of_models(group: JudgedGroup, records: Mapping[str, LinkRecord]) -> dict[Pair, float]:
    ratios = {
        pair: [records[str(model)].ratio(same=same) for model, same in answers if str(model) in records]
        for pair, answers in group.model_answers.items()
    }
    return {pair: sum(of_pair) for pair, of_pair in ratios.items() if of_pair}


def forecasts_of(
    group: JudgedGroup, evidence: Mapping[Pair, float], prior: LinkPrior, errors: CrowdErrors, *, people: bool
) -> Iterator[SureForecast]:
    """Yield what the belief was sure of, of the pairs that models and people judged.

    `evidence`: the models' evidence by pair. `people`: what people said of other pairs counts, too.
    """
    if people:
        chances = leave_one_out_chances(group.mentions, group.answers, prior=prior, errors=errors, models=evidence)
    else:
        chances = pair_chances(group.mentions, {}, prior=prior, errors=errors, models=evidence)
    for pair, chance in chances.items():
        confidence, judgments = max(chance, 1 - chance), group.answers.get(pair)
        if judgments and pair in evidence and confidence >= MIN_CONFIDENCE:
            ratio = math.exp(prior.temper * weigh(tuple(judgments), errors).ratio)
            yield SureForecast(confidence, ratio if chance > 0.5 else 1 / ratio)
