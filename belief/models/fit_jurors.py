"""Fit of jurors [beyond paper 3.3]: how often each program that judges boxes errs, from chains that people judged.

Only chains of the lot count: elsewhere people are asked where a juror's answer leaves doubt, so its errors would be met
more often than they are made. But there, too, a juror that suddenly contradicts people more often has turned: what it
answered before counts no longer.

What is true of a box or of a missing one is a chance that follows from people's answers
and, in turn, from how often the juror errs: one is found from the other until both agree.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from belief.boxes.box_belief import BoxAnswer, BoxEvidence, start
from belief.boxes.box_prior import BoxPrior
from belief.boxes.tasks import BoxTask
from belief.models.juror_record import JurorRecord
from belief.models.shared_errors import Said, SharedErrors, fit_shared_errors
from belief.models.tally import Mistakes, Tally
from belief.models.turn import counting

ROUNDS = 12
DIGITS = 2


class Claim(NamedTuple):
    """One answer of a juror about something that people judged, too."""

    wrong: float
    """The chance by people's answers alone that something is wrong: the box is bad, or one is missing."""
    alarmed: bool
    """The juror found something wrong."""
    source: str | None
    """Of a judged box; None: the answer is about missing ones."""
    in_lot: bool
    akin: bool = False
    """Of a judged box: see `BoxAnswer`."""
    about: Hashable = None
    """The same for all answers about the same thing of a chain."""

    @property
    def kinds(self) -> tuple[str, str]:
        """The kind of thing that it is about if something is wrong, and if nothing is."""
        return ("missing", "there") if self.source is None else (f"bad {self.source}", "good")

    @property
    def against(self) -> float:
        """The chance that it contradicts what people say."""
        return 1 - self.wrong if self.alarmed else self.wrong


def fit_jurors(chains: Iterable[tuple[BoxEvidence, bool]], prior: BoxPrior) -> dict[str, JurorRecord]:
    """Return the record of each juror.

    `chains`: all answers about each, and whether it is of the lot, in the order in which they ended.
    """
    claims: dict[str, list[Claim]] = defaultdict(list)
    for _, juror, claim in _all_claims(chains, prior):
        claims[juror].append(claim)
    return {juror: _record(_counting(own)) for juror, own in sorted(claims.items())}


def fit_pairs(chains: Iterable[tuple[BoxEvidence, bool]], prior: BoxPrior) -> dict[str, SharedErrors]:
    """Return how often each two jurors were wrong together. `chains`: as for `fit_jurors`."""
    by_several = (one for one in chains if len({each.juror for each in one[0].answers if each.juror}) > 1)
    return fit_shared_errors(
        Said(juror, (place, claim.about), claim.wrong, claim.alarmed, claim.kinds, claim.in_lot)
        for place, juror, claim in _all_claims(by_several, prior)
    )


def _counting(claims: list[Claim]) -> list[Claim]:
    """Return the newest claims of the lot, none from before the juror turned."""
    return [claims[place] for place in counting([one.against for one in claims], [one.in_lot for one in claims])]


def _all_claims(chains: Iterable[tuple[BoxEvidence, bool]], prior: BoxPrior) -> Iterator[tuple[int, str, Claim]]:
    """Yield the jurors' claims with the place of the chain. Chains with the same answers are weighed once."""
    made: dict[tuple[BoxEvidence, bool], list[tuple[str, Claim]]] = {}
    for place, one in enumerate(chains):
        if one not in made:
            made[one] = list(_claims(one[0], prior, in_lot=one[1]))
        for juror, claim in made[one]:
            yield place, juror, claim


def _claims(chain: BoxEvidence, prior: BoxPrior, *, in_lot: bool) -> Iterator[tuple[str, Claim]]:
    """Yield the jurors' answers about what people judged as well."""
    bad: dict[int, float] = {}
    missing: dict[tuple[int, ...], float] = {}
    belief = start(chain)
    for answer in chain.answers:
        if answer.juror is not None:
            continue
        belief = belief.after(answer, prior)
        bad |= {box: 1 - belief.p_good(box) for box in belief.shown}
        missing[belief.shown] = belief.p_missing if belief.shown else 1 - belief.p_no_box
    judged = {one.box for one in chain.answers if one.juror is None and one.task is BoxTask.QUALITY}
    seen = {tuple(sorted(one.shown)) for one in chain.answers if _tells_of_missing(one)}
    for one in chain.answers:
        if one.juror is None:
            continue
        if one.task is BoxTask.QUALITY:
            if one.box in judged and one.box in bad:
                yield one.juror, Claim(bad[one.box], one.alarmed, one.source, in_lot, one.akin, one.about)
        elif (key := tuple(sorted(one.shown))) in seen and key in missing:
            yield one.juror, Claim(missing[key], one.alarmed, None, in_lot, about=one.about)


def _tells_of_missing(one: BoxAnswer) -> bool:
    return one.juror is None and one.trust is None and one.task is not BoxTask.QUALITY


def _record(claims: Sequence[Claim]) -> JurorRecord:
    record, alike = JurorRecord(), Counter(one._replace(about=None) for one in claims)
    for _ in range(ROUNDS):
        record = _counted([(one, number, _chance(one, _mistakes(record, one))) for one, number in alike.items()])
    return replace(record, wary=True)


def _mistakes(record: JurorRecord, claim: Claim) -> Mistakes:
    return record.of_missing() if claim.source is None else record.of_box(claim.source, akin=claim.akin)


def _chance(claim: Claim, mistakes: Mistakes) -> float:
    """Return the chance that something is wrong, by the juror's answer as well."""
    if_wrong = claim.wrong * (1 - mistakes.passed if claim.alarmed else mistakes.passed)
    if_right = (1 - claim.wrong) * (mistakes.alarm if claim.alarmed else 1 - mistakes.alarm)
    return if_wrong / (if_wrong + if_right)


def _counted(claims: Iterable[tuple[Claim, int, float]]) -> JurorRecord:
    """Count claims, each with how many are like it, and with the chance that something is wrong."""
    missing, there, good = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    bad: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for claim, number, wrong in claims:
        at_fault, at_rest = (missing, there) if claim.source is None else (bad[claim.source], good)
        at_fault[not claim.alarmed] += number * wrong
        at_rest[claim.alarmed] += number * (1 - wrong)
    by_source: Mapping[str, Tally] = {source: _rounded(tally) for source, tally in bad.items()}
    return JurorRecord(_rounded(missing), _rounded(there), _rounded(good), by_source)


def _rounded(tally: Sequence[float]) -> Tally:
    return round(tally[0], DIGITS), round(tally[1], DIGITS)
