"""Hold jurors [beyond paper 3.3]: what programs' answers make a belief say of a lot's chains, against what people find.

A claim is made at the first moment at which the answers that count make the belief sure of a chain as it stands: of all
its shown boxes together, or of no box. What people answer about it from then on tells whether that is right. A program
whose answers made the belief too sure, by more than chance, counts less until they do not: its errors hang together in
ways that its record does not show.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipeline.rules.boxing.box_answers import error
from pipeline.rules.boxing.box_belief import Belief, BoxAnswer, BoxEvidence, start
from pipeline.rules.boxing.box_prior import BoxPrior
from pipeline.rules.boxing.juror_record import JurorRecord
from pipeline.rules.boxing.unseen import ENOUGH, KnownAnswers
from pipeline.rules.jurors.said_right import (
    ALONE,
    BOTH,
    MOST_RATIO,
    NEWEST,
    PEOPLE,
    SURE,
    Claim,
    SaidRight,
    hold,
    weight_that_holds,
)
from pipeline.rules.tasks.task import Task

SMALLEST = 1e-9


def with_held(prior: BoxPrior, lot: Iterable[BoxEvidence], known: Iterable[KnownAnswers] = ()) -> BoxPrior:
    """Return the prior with what was said and right, and with how much of each juror's evidence counts.

    `lot`: all answers about each of the lot's chains, in the order in which they ended.
    """
    chains = [one for one in lot if any(answer.juror for answer in one.answers)][-NEWEST:]
    jurors = {juror: replace(record, weight=1.0) for juror, record in prior.jurors.items()}
    held: dict[str, SaidRight] = {}
    if (people := _held_of_people(known, prior)).claims:
        held[PEOPLE] = people
    for juror, record in jurors.items():
        weight, held[juror] = weight_that_holds(lambda share, name=juror: _held(chains, prior, jurors, [name], share))
        jurors = {**jurors, juror: replace(record, weight=weight)}
    if jurors:
        share, held[BOTH] = weight_that_holds(lambda share: _held(chains, prior, jurors, [*jurors], share))
        jurors = {juror: _weighed(record, share) for juror, record in jurors.items()}
        known_jurors = replace(prior, jurors=jurors)
        held[ALONE] = hold(len(chains), _claims(chains, known_jurors, [*jurors], people=False))
    return replace(prior, jurors=jurors, held=held)


def _held(
    chains: Sequence[BoxEvidence], prior: BoxPrior, jurors: Mapping[str, JurorRecord], own: Collection[str], share: float
) -> SaidRight:
    """Return what people and these programs said, and what was right, if this share of the programs' evidence counts."""
    changed = {**jurors, **{juror: _weighed(jurors[juror], share) for juror in own}}
    looked_at = [one for one in chains if any(answer.juror in own for answer in one.answers if answer.juror)]
    return hold(len(looked_at), _claims(looked_at, replace(prior, jurors=changed), own, people=True))


def _weighed(record: JurorRecord, share: float) -> JurorRecord:
    return replace(record, weight=round(record.weight * share, 2))


def _claims(
    chains: Iterable[BoxEvidence], prior: BoxPrior, jurors: Collection[str], *, people: bool
) -> Iterable[Claim]:
    for chain in chains:
        if claim := claim_of(chain, prior, jurors, people=people):
            yield claim


def claim_of(chain: BoxEvidence, prior: BoxPrior, jurors: Collection[str], *, people: bool) -> Claim | None:
    """Return the first thing that these answers made the belief sure of, with a juror among them.

    None: there is none, or nobody was asked about it later. `jurors`: those that count. `people`: people's answers count, too; else the first of them ends it.
    """
    belief, heard = start(chain), False
    for place, answer in enumerate(chain.answers):
        if not people and _by_person(answer):
            return None
        if answer.juror is not None and answer.juror not in jurors:
            continue
        belief, heard = belief.after(answer, prior), heard or answer.juror is not None
        none, complete = belief.p_no_box, belief.p_complete
        if heard and max(none, complete) >= SURE:
            kept = belief.shown if complete >= none else ()
            ratio = _ratio(belief, kept, chain.answers[place + 1 :], prior)
            return None if ratio is None else Claim(max(none, complete), ratio)
    return None


def _by_person(answer: BoxAnswer) -> bool:
    return answer.juror is None and answer.trust is None


def _ratio(belief: Belief, kept: Collection[int], later: Iterable[BoxAnswer], prior: BoxPrior) -> float | None:
    """Return the likelihood of people's later answers if exactly these boxes are right, over that if not.

    Answers after one of the boxes was dropped are about something else. None: there are no others.
    """
    before, asked = belief.p_exactly(kept), False
    for answer in later:
        if answer.juror is not None:
            continue
        if answer.task is not Task.BOX_QUALITY and not set(kept).issubset(answer.shown):
            break
        belief, asked = belief.after(answer, prior), asked or answer.trust is None
    return min(_odds(belief.p_exactly(kept)) / _odds(before), MOST_RATIO) if asked else None


def _odds(chance: float) -> float:
    return max(chance, SMALLEST) / max(1 - chance, SMALLEST)


def _held_of_people(known: Iterable[KnownAnswers], prior: BoxPrior) -> SaidRight:
    """Return what people's answers to known questions say, and whether most of them were right."""
    asked = [one for one in known if one.right + one.wrong >= ENOUGH and one.right != one.wrong]
    claims = (_claim_of_people(one, prior) for one in asked)
    return hold(len(asked), (one for one in claims if one.said >= SURE))


def _claim_of_people(known: KnownAnswers, prior: BoxPrior) -> Claim:
    more, fewer = max(known), min(known)
    wrong = error(prior.error_of("quality"))
    if_right, if_wrong = (
        float(np.mean((1 - each) ** more * each**fewer)) for each in (wrong, 1 - wrong)
    )
    said = if_right / (if_right + if_wrong) * (1 - prior.unseen)
    return Claim(said, MOST_RATIO if known.right > known.wrong else 1 / MOST_RATIO)
