"""Fit of link jurors [beyond paper 3.1.1]: how often programs that judge links err, on pairs that people judged.

Only images of the lot count: elsewhere people are asked where a juror's answer leaves doubt, so its errors would be met
more often than they are made. But there, too, a juror that suddenly contradicts people more often has turned: what it
answered before counts no longer.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from annotation.rules.transitivity import Pair
from belief.links.answer_model import CrowdErrors
from belief.links.group_belief import told_by_all
from belief.links.link_prior import LinkPrior
from belief.links.refit_from_answers import JudgedGroup
from belief.models.link_record import LinkRecord
from belief.models.shared_errors import Said, SharedErrors, fit_shared_errors
from belief.models.tally import Tally
from belief.models.turn import counting

ROUNDS = 12
DIGITS = 2


class Claim(NamedTuple):
    """One answer of a juror about a pair that people judged, too."""

    pair: Pair
    chance: float
    """The chance by people's answers alone that the pair is one thing."""
    same: bool
    in_lot: bool

    @property
    def against(self) -> float:
        """The chance that it contradicts what people say."""
        return 1 - self.chance if self.same else self.chance


def fit_link_jurors(groups: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors) -> dict[str, LinkRecord]:
    """Return the record of each juror. `groups`: in the order in which they were judged. `errors`: of the crowd."""
    claims: dict[str, list[Claim]] = defaultdict(list)
    for group in groups:
        for juror, claim in _claims(group, prior, errors):
            claims[juror].append(claim)
    return {juror: _record(_counting(own)) for juror, own in sorted(claims.items())}


KINDS = ("different", "same")


def fit_link_pairs(groups: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors) -> dict[str, SharedErrors]:
    """Return how often each two jurors were wrong together. The arguments are those of `fit_link_jurors`."""
    by_several = (one for one in groups if len({juror for said in one.judged.values() for juror, _ in said}) > 1)
    return fit_shared_errors(
        Said(juror, (place, claim.pair), 1 - claim.chance, not claim.same, KINDS, claim.in_lot)
        for place, group in enumerate(by_several)
        for juror, claim in _claims(group, prior, errors)
    )


def _claims(group: JudgedGroup, prior: LinkPrior, errors: CrowdErrors) -> Iterator[tuple[str, Claim]]:
    both = [pair for pair in group.judged if group.heard.get(pair)]
    chances = told_by_all(group.mentions, group.heard, prior=prior, errors=errors) if both else {}
    for pair in both:
        for juror, same in group.judged[pair] if pair in chances else ():
            yield str(juror), Claim(pair, chances[pair], same, group.in_lot)


def _counting(claims: list[Claim]) -> list[Claim]:
    """Return the newest claims of the lot, none from before the juror turned."""
    return [claims[place] for place in counting([one.against for one in claims], [one.in_lot for one in claims])]


def _record(claims: Sequence[Claim]) -> LinkRecord:
    """Find what is true of the pairs from the juror's errors, and these from that, until both agree."""
    record = LinkRecord()
    for _ in range(ROUNDS):
        same, different = [0.0, 0.0], [0.0, 0.0]
        for one in claims:
            chance = _chance(one, record)
            same[not one.same] += chance
            different[one.same] += 1 - chance
        record = LinkRecord(_rounded(same), _rounded(different))
    return record


def _chance(claim: Claim, record: LinkRecord) -> float:
    """Return the chance that the pair is one thing, by the juror's answer as well."""
    passed, alarm = record.of_pairs()
    if_same = claim.chance * (1 - alarm if claim.same else alarm)
    if_different = (1 - claim.chance) * (passed if claim.same else 1 - passed)
    return if_same / (if_same + if_different)


def _rounded(tally: Sequence[float]) -> Tally:
    return round(tally[0], DIGITS), round(tally[1], DIGITS)
