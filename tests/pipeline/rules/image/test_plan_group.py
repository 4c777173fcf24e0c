"""The votes of an image reach the strategy that its project has."""

from dataclasses import replace
from typing import Any

import pytest

from pipeline.rules.image import plan_group
from pipeline.rules.image.plan_group import told_by_other_links
from pipeline.rules.linking.adaptive.answer_model import CrowdErrors, Heard
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.transitivity import LinkMention, Pair
from pipeline.rules.progress.progress import ImageProgress, Vote
from pipeline.rules.settings.protocol import ProtocolSettings
from tests.support.images import DOG, MAN, Story, started

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
    assert more == {**settings, "given": {(0, 2): False}, "skipped": [(1, 2)], "programs": (), "jurors": {}}


def test_the_strategies_of_the_paper_hear_everybody_alike():
    other = image()
    other.votes[0, 1][0] = other.votes[0, 1][0]._replace(shift=0.0)
    greedy = ProtocolSettings()
    assert plan_group.plan_group(image(), GROUP, greedy) == plan_group.plan_group(other, GROUP, greedy)


LINKED = ProtocolSettings(strategy=Strategy.ADAPTIVE, link_stop=0.001)


def men(**votes: list[bool]) -> Story:
    """Return an image of three men and a dog with these votes, by the two numbers of a pair."""
    story = started([MAN, DOG], [("people", "him")], [("people", "someone")], settings=LINKED)
    for name, cast in votes.items():
        pair = int(name[1]), int(name[2])
        story.progress.votes[pair] = [Vote(1, worker, same) for worker, same in enumerate(cast)]
    return story


def told(story: Story) -> dict[tuple[int, int], float]:
    return told_by_other_links(story.progress, story.settings)


def test_two_links_tell_the_third() -> None:
    for said in (True, False):
        assert told(men(p02=[True] * 3, p23=[True] * 3, p03=[said]))[0, 3] > 0.9
        assert told(men(p02=[True] * 3, p23=[False] * 3, p03=[said]))[0, 3] < 0.1


def test_the_answers_to_the_link_itself_do_not_tell() -> None:
    alone = told(men(p03=[True]))[0, 3]
    assert told(men(p03=[False] * 4))[0, 3] == pytest.approx(alone, abs=1e-6)


def test_only_links_that_were_judged_and_that_no_expert_set_are_told() -> None:
    story = men(p02=[True], p03=[True])
    assert sorted(told(story)) == [(0, 2), (0, 3)]
    story.progress.given[0, 2] = True
    assert sorted(told(story)) == [(0, 3)]


def test_placed_links_are_told_too() -> None:
    story = started([MAN], [("people", "him")], settings=replace(LINKED, link_stop=0.9))
    assert not story.progress.open or told(story) == {}
    story.progress.votes[0, 1] = [Vote(1, 1, True)]
    assert 0 < told(story)[0, 1] < 1
