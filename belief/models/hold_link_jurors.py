"""Hold link jurors [beyond paper 3.1.1]: what programs' answers make a belief say of a lot's links, against people's.

A claim is a pair that the belief is sure of, either way, by the programs' answers and by what people answered about
other pairs. People's answers to the pair itself tell whether that is right. A program whose answers made the belief too
sure, by more than chance, counts less until they do not.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from annotation.rules.transitivity import Pair
from belief.links.answer_model import CrowdErrors, weigh
from belief.links.group_belief import told_by_all, told_by_others
from belief.links.link_prior import LinkPrior
from belief.links.refit_from_answers import JudgedGroup
from belief.models.link_record import NOBODY_KNOWS, LinkRecord
from belief.models.said_right import ALONE, NEWEST, SURE, Claim, SaidRight, hold, weigh_jurors


def with_held_links(prior: LinkPrior, groups: Iterable[JudgedGroup], errors: CrowdErrors) -> LinkPrior:
    """Return the prior with what was said and right, and with how much of each juror's evidence counts.

    `groups`: in the order in which they were judged; those of the lot count. `errors`: of the crowd.
    """
    lot = [group for group in groups if group.in_lot and group.judged][-NEWEST:]

    def held_by(prior: LinkPrior, jurors: Collection[str]) -> SaidRight:
        return _held(lot, prior, errors, jurors, people=True)

    prior, held = weigh_jurors(prior, held_by)
    if prior.jurors:
        held[ALONE] = _held(lot, prior, errors, prior.jurors, people=False)
    return replace(prior, held=held)


def _held(
    lot: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors, jurors: Collection[str], *, people: bool
) -> SaidRight:
    records = {juror: prior.jurors[juror] for juror in jurors}
    told = [(group, own) for group in lot if (own := _told(group, records))]
    return hold(len(told), (one for group, own in told for one in claims_of(group, own, prior, errors, people=people)))


def _told(group: JudgedGroup, records: Mapping[str, LinkRecord]) -> dict[Pair, float]:
    """Return the evidence of these jurors about each pair that they judged."""
    own = {pair: [one for one in said if str(one[0]) in records] for pair, said in group.judged.items()}
    return {
        pair: sum(records.get(str(juror), NOBODY_KNOWS).ratio(same=same) for juror, same in said)
        for pair, said in own.items()
        if said
    }


def claims_of(
    group: JudgedGroup, told: Mapping[Pair, float], prior: LinkPrior, errors: CrowdErrors, *, people: bool
) -> Iterator[Claim]:
    """Yield what the belief was sure of, of the pairs that jurors and people judged.

    `told`: the jurors' evidence by pair. `people`: what people said of other pairs counts, too.
    """
    if people:
        chances = told_by_others(group.mentions, group.heard, prior=prior, errors=errors, jurors=told)
    else:
        chances = told_by_all(group.mentions, {}, prior=prior, errors=errors, jurors=told)
    for pair, chance in chances.items():
        said, heard = max(chance, 1 - chance), group.heard.get(pair)
        if heard and pair in told and said >= SURE:
            ratio = math.exp(prior.temper * weigh(tuple(heard), errors).ratio)
            yield Claim(said, ratio if chance > 0.5 else 1 / ratio)
