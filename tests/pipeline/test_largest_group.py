"""The largest group that the bounds allow is planned in a few steps, whatever the answers are."""

import random
from itertools import product

import pytest

from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import PLANNED_WHOLE, LinkMention, Pair
from pipeline.rules.settings.protocol import ProtocolSettings
from tests.support.lines_run import lines_run

SETTINGS = ProtocolSettings()
SHARES = [0.0, 0.2, 0.5, 1.0]
PLUS = [Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY_PLUS]
MOST = 10_000_000
"""Lines of Python, which take a second or two."""


def group(captions: int) -> list[LinkMention]:
    each = PLANNED_WHOLE // captions
    return [
        LinkMention(n, n // each, n % each, frozenset({"people"}), f"w{n % 7}", ("a", f"w{n % 7}"))
        for n in range(PLANNED_WHOLE)
    ]


def pairs(mentions: list[LinkMention]) -> list[tuple[LinkMention, LinkMention]]:
    return [(a, b) for place, a in enumerate(mentions) for b in mentions[place + 1 :] if a.caption != b.caption]


def plan(strategy: Strategy, mentions: list[LinkMention], votes: dict[Pair, list[bool]]) -> None:
    if strategy is Strategy.ADAPTIVE:
        heard = {pair: [Heard(vote, 0.0) for vote in cast] for pair, cast in votes.items()}
        given = {pair: False for pair in list(votes)[:200]}
        plan_adaptively(mentions, heard, prior=SETTINGS.prior(), stop=SETTINGS.link_stop, given=given)
    else:
        plan_links(strategy, mentions, votes)


@pytest.mark.parametrize(
    ("strategy", "share"),
    [
        *product([one for one in Strategy if one not in PLUS], SHARES),
        # Both treat contradictions by the same rule.
        *zip(PLUS * 2, SHARES, strict=True),
    ],
)
def test_sixty_phrases_are_planned_in_a_few_steps_after_answers_at_random(strategy: Strategy, share: float):
    mentions = group(captions=5)
    crowd = random.Random(1)
    votes = {(a.number, b.number): [crowd.random() < share for _ in range(5)] for a, b in pairs(mentions)}
    assert lines_run(lambda: plan(strategy, mentions, votes)) < MOST


@pytest.mark.parametrize("strategy", Strategy)
def test_sixty_phrases_are_planned_in_a_few_steps_before_the_first_answer(strategy: Strategy):
    assert lines_run(lambda: plan(strategy, group(captions=5), {})) < MOST


def test_millions_of_contradictions_between_sixty_phrases_are_not_listed_one_by_one():
    """Every phrase is the same as all of the next caption, and as no other: paths of any length, in any number."""
    mentions = group(captions=5)
    votes = {(a.number, b.number): [b.caption == a.caption + 1] * 5 for a, b in pairs(mentions)}
    assert lines_run(lambda: plan(Strategy.EXHAUSTIVE_PLUS, mentions, votes)) < MOST
