"""Other links of an image tell what a link is, whatever was answered to it itself."""

from dataclasses import replace

import pytest

from pipeline.rules.image.other_links import told_by_other_links
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import Vote
from pipeline.rules.settings.protocol import ProtocolSettings
from tests.support.images import DOG, MAN, Story, started

ADAPTIVE = ProtocolSettings(strategy=Strategy.ADAPTIVE, link_stop=0.001)


def men(**votes: list[bool]) -> Story:
    """Return an image of three men and a dog with these votes, by the two numbers of a pair."""
    story = started([MAN, DOG], [("people", "him")], [("people", "someone")], settings=ADAPTIVE)
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
    story = started([MAN], [("people", "him")], settings=replace(ADAPTIVE, link_stop=0.9))
    assert not story.progress.open or told(story) == {}
    story.progress.votes[0, 1] = [Vote(1, 1, True)]
    assert 0 < told(story)[0, 1] < 1
