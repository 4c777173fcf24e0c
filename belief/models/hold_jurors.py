"""Hold jurors [beyond paper 3.3]: what programs' answers make a belief say of a lot's chains, against what people find.

A claim is made at the first moment at which the answers that count make the belief sure of a chain as it stands: of all
its shown boxes together, or of no box. What people answer about it from then on tells whether that is right. A program
whose answers made the belief too sure, by more than chance, counts less until they do not: its errors hang together in
ways that its record does not show.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from belief.boxes.box_answers import error
from belief.boxes.box_belief import Belief, BoxAnswer, BoxEvidence, start
from belief.boxes.box_prior import BoxPrior
from belief.boxes.tasks import BoxTask
from belief.boxes.unseen import ENOUGH, KnownAnswers
from belief.models.said_right import (
    ALONE,
    MOST_RATIO,
    NEWEST,
    PEOPLE,
    SURE,
    Claim,
    SaidRight,
    hold,
    weigh_jurors,
)

SMALLEST = 1e-9


def with_held(prior: BoxPrior, lot: Iterable[BoxEvidence], known: Iterable[KnownAnswers] = ()) -> BoxPrior:
    """Return the prior with what was said and right, and with how much of each juror's evidence counts.

    `lot`: all answers about each of the lot's chains, in the order in which they ended.
    """
    chains = [one for one in lot if any(answer.juror for answer in one.answers)][-NEWEST:]

    def held_by(prior: BoxPrior, jurors: Collection[str]) -> SaidRight:
        asked = [one for one in chains if any(answer.juror in jurors for answer in one.answers if answer.juror)]
        return hold(len(asked), _claims(asked, prior, jurors, people=True))

    prior, held = weigh_jurors(prior, held_by)
    if (people := _held_of_people(known, prior)).claims:
        held[PEOPLE] = people
    if prior.jurors:
        held[ALONE] = hold(len(chains), _claims(chains, prior, prior.jurors, people=False))
    return replace(prior, held=held)


def _claims(
    chains: Iterable[BoxEvidence], prior: BoxPrior, jurors: Collection[str], *, people: bool
) -> Iterable[Claim]:
    made: dict[BoxEvidence, Claim | None] = {}  # many chains of a lot had the same answers
    for chain in chains:
        if chain not in made:
            made[chain] = claim_of(chain, prior, jurors, people=people)
        if claim := made[chain]:
            yield claim


def claim_of(chain: BoxEvidence, prior: BoxPrior, jurors: Collection[str], *, people: bool) -> Claim | None:
    """Return the first thing that these answers made the belief sure of, with a juror among them.

    None: there is none, or nobody was asked about it later. `jurors`: those that count. `people`: people's answers
    count, too; else the first of them ends it.
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
        if answer.task is not BoxTask.QUALITY and not set(kept).issubset(answer.shown):
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
    wrong = error(prior.error_of(BoxTask.QUALITY))
    if_right, if_wrong = (float(np.mean((1 - each) ** more * each**fewer)) for each in (wrong, 1 - wrong))
    said = if_right / (if_right + if_wrong) * (1 - prior.unseen)
    return Claim(said, MOST_RATIO if known.right > known.wrong else 1 / MOST_RATIO)
