"""Models that judge links [beyond paper 3.1.1]: what their answers are held against, and how sure they make a belief.

The chance that a pair is two things follows from people's answers alone.

For calibration, a forecast is a pair that the belief is sure of, either way, by the models' answers and by what people
answered about other pairs. People's answers to the pair itself tell whether that is right. A model whose answers made
the belief too sure, by more than chance, counts less until they do not.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping

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
from belief.models.error_correlation import ErrorCorrelation, fit_error_correlation
from belief.models.fit import ModelAnswer, fit_models
from belief.models.records import NEW_LINK_MODEL, NO_ANSWERS, LinkRecord, Tally

PAIR_KINDS = ("different", "same")


def fit_link_models(groups: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors) -> dict[str, LinkRecord]:
    """Return the record of each model. `groups`: in the order in which they were judged. `errors`: of the crowd."""
    claims = _all_answers(groups, prior, errors)
    return fit_models(claims, record_of=_record, mistakes_of=lambda record, _: record.of_pairs())


def fit_link_pairs(groups: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors) -> dict[str, ErrorCorrelation]:
    """Return how often each two models were wrong together. The arguments are those of `fit_link_models`."""
    by_several = (one for one in groups if len({model for said in one.judged.values() for model, _ in said}) > 1)
    return fit_error_correlation(_all_answers(by_several, prior, errors))


def _record(tallies: Mapping[str, Tally]) -> LinkRecord:
    return LinkRecord(tallies.get("same", NO_ANSWERS), tallies.get("different", NO_ANSWERS))


def _all_answers(groups: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors) -> Iterator[ModelAnswer]:
    """Yield the models' answers about pairs that people judged as well."""
    for place, group in enumerate(groups):
        both = [pair for pair in group.judged if group.heard.get(pair)]
        same = pair_chances(group.mentions, group.heard, prior=prior, errors=errors) if both else {}
        for pair in both:
            for model, said_same in group.judged[pair] if pair in same else ():
                yield ModelAnswer(str(model), (place, pair), 1 - same[pair], not said_same, PAIR_KINDS, group.audited)


# --- Calibration ---


def calibrate_links(prior: LinkPrior, groups: Iterable[JudgedGroup], errors: CrowdErrors) -> LinkPrior:
    """Return the prior with the calibration of each model, and with how much of its evidence counts.

    `groups`: in the order in which they were judged; audited ones count. `errors`: of the crowd.
    """
    audited = [group for group in groups if group.audited and group.judged][-NEWEST_AUDITED:]

    def held(prior: LinkPrior, models: Collection[str], *, people: bool) -> Calibration:
        records = {model: prior.model_annotators[model] for model in models}
        told = [(group, own) for group in audited if (own := _evidence_of_models(group, records))]
        made = (one for group, own in told for one in forecasts_of(group, own, prior, errors, people=people))
        return calibration_of(len(told), made)

    return calibrate(prior, held)


def _evidence_of_models(group: JudgedGroup, records: Mapping[str, LinkRecord]) -> dict[Pair, float]:
    """Return the evidence of these models about each pair that they judged."""
    own = {pair: [one for one in said if str(one[0]) in records] for pair, said in group.judged.items()}
    return {
        pair: sum(records.get(str(model), NEW_LINK_MODEL).ratio(same=same) for model, same in said)
        for pair, said in own.items()
        if said
    }


def forecasts_of(
    group: JudgedGroup, told: Mapping[Pair, float], prior: LinkPrior, errors: CrowdErrors, *, people: bool
) -> Iterator[SureForecast]:
    """Yield what the belief was sure of, of the pairs that models and people judged.

    `told`: the models' evidence by pair. `people`: what people said of other pairs counts, too.
    """
    if people:
        chances = leave_one_out_chances(group.mentions, group.heard, prior=prior, errors=errors, models=told)
    else:
        chances = pair_chances(group.mentions, {}, prior=prior, errors=errors, models=told)
    for pair, chance in chances.items():
        said, heard = max(chance, 1 - chance), group.heard.get(pair)
        if heard and pair in told and said >= MIN_CONFIDENCE:
            ratio = math.exp(prior.temper * weigh(tuple(heard), errors).ratio)
            yield SureForecast(said, ratio if chance > 0.5 else 1 / ratio)
