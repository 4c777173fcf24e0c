"""The votes of an image reach the strategy that its project has."""

from typing import Any

import pytest

from pipeline.rules.image import plan_group
from pipeline.rules.linking.adaptive.answer_model import CrowdErrors, Heard
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.transitivity import LinkMention, Pair
from pipeline.rules.progress.progress import ImageProgress, Vote
from pipeline.rules.settings.protocol import ProtocolSettings

GROUP = [LinkMention(number, number, 0, frozenset({"people"}), "man") for number in range(3)]
ERRORS = {"false_negative": 0.06, "false_positive": 0.04}
ADAPTIVE = ProtocolSettings(
    strategy=Strategy.ADAPTIVE, link_stop=0.05, link_most=9, link_errors=ERRORS, reask_share=0.05
)


def image() -> ImageProgress:
    votes: dict[Pair, list[Vote]] = {(0, 1): [Vote(3, 7, True, -0.25), Vote(4, 8, False)], (1, 2): [Vote(5, 7, True)]}
    return ImageProgress(votes=votes, given={(0, 2): False}, skipped=[(1, 2)])


def test_the_adaptive_strategy_hears_each_worker_with_the_shift_and_is_given_the_settings(
    monkeypatch: pytest.MonkeyPatch,
):
    seen: list[Any] = []

    def planned(*given: Any, **more: Any) -> LinkPlan:
        seen.extend((*given, more))
        return LinkPlan((), ())

    monkeypatch.setattr(plan_group, "plan_adaptively", planned)
    assert plan_group.plan_group(image(), GROUP, ADAPTIVE) == LinkPlan((), ())
    group, heard, more = seen
    assert (group, heard) == (GROUP, {(0, 1): [Heard(True, -0.25), Heard(False)], (1, 2): [Heard(True, 0.0)]})
    settings = {"prior": DEFAULT, "stop": 0.05, "most": 9, "errors": CrowdErrors(0.06, 0.04), "reask_share": 0.05}
    assert more == {**settings, "given": {(0, 2): False}, "skipped": [(1, 2)], "programs": ()}


def test_the_strategies_of_the_paper_hear_everybody_alike():
    other = image()
    other.votes[0, 1][0] = other.votes[0, 1][0]._replace(shift=0.0)
    greedy = ProtocolSettings()
    assert plan_group.plan_group(image(), GROUP, greedy) == plan_group.plan_group(other, GROUP, greedy)
