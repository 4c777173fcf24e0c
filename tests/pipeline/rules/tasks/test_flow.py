"""The arrows between the six tasks, as the protocol draws them."""

from annotation.rules.states import ChainState as S
from pipeline.rules.tasks import (
    box_coverage,
    box_drawing,
    box_quality,
    box_requirement,
    chain_verification,
    coreference_link,
)
from pipeline.rules.tasks.flow import TABLES, Review, step

ARROWS = [
    (S.LINKING, coreference_link.Verdict.SEVERAL, S.VERIFICATION),
    (S.LINKING, coreference_link.Verdict.SURE_DRAW, S.DRAWING),
    (S.LINKING, coreference_link.Verdict.SURE_ASK, S.REQUIREMENT),
    (S.LINKING, coreference_link.Verdict.DRAW, S.DRAWING),
    (S.LINKING, coreference_link.Verdict.ASK, S.REQUIREMENT),
    (S.VERIFICATION, chain_verification.Verdict.DRAW, S.DRAWING),
    (S.VERIFICATION, chain_verification.Verdict.ASK, S.REQUIREMENT),
    (S.REQUIREMENT, box_requirement.Verdict.BOX, S.DRAWING),
    (S.REQUIREMENT, box_requirement.Verdict.NO_BOX, S.NON_VISUAL),
    (S.DRAWING, box_drawing.Verdict.BOX, S.QUALITY),
    (S.DRAWING, box_drawing.Verdict.NONE_MISSING, S.COVERAGE),
    (S.DRAWING, box_drawing.Verdict.NONE_AT_ALL, S.REQUIREMENT),
    (S.DRAWING, box_drawing.Verdict.CYCLING, S.REVIEW),
    (S.QUALITY, box_quality.Verdict.GOOD, S.COVERAGE),
    (S.QUALITY, box_quality.Verdict.BAD, S.DRAWING),
    (S.QUALITY, box_quality.Verdict.CYCLING, S.REVIEW),
    (S.COVERAGE, box_coverage.Verdict.ALL_THERE, S.COMPLETE),
    (S.COVERAGE, box_coverage.Verdict.MORE_NEEDED, S.DRAWING),
]


def test_every_arrow_leads_where_the_protocol_draws_it():
    assert [(state, verdict, step(state, verdict)) for state, verdict, _ in ARROWS] == ARROWS


def test_there_is_no_other_arrow():
    assert sum(map(len, TABLES.values())) == len(ARROWS)


def test_every_chain_can_be_taken_up_by_an_expert():
    states = set(S) - {S.REVIEW}
    assert {state: step(state, Review.NEEDED) for state in states} == dict.fromkeys(states, S.REVIEW)
