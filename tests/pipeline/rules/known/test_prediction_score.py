"""The score of a program: what became of its boxes, and its predictions held against known chains."""

import pytest

from annotation.rules.box import Box
from pipeline.rules.known.prediction_score import (
    LEAST,
    LEAST_TRIED,
    Basis,
    Quality,
    ScoreStanding,
    Truth,
    box_quality,
    quality_of,
    right_boxes,
    right_links,
    standing,
)
from pipeline.rules.linking.transitivity import LinkMention
from workers.rules.score import Rule, Score

FIRST, SECOND, ELSEWHERE = [0, 0, 10, 10], [50, 0, 60, 10], [0, 50, 10, 60]


def mention(number: int, caption: int, kind: str = "people") -> LinkMention:
    return LinkMention(number, caption, 0, frozenset({kind}), "")


TRUTH = Truth(
    {0: "A", 1: "A", 2: "B", 3: "park", 4: "dog"},
    {"A": [Box(*FIRST), Box(*SECOND)], "B": [Box(*SECOND)]},
    [mention(0, 0), mention(1, 1), mention(2, 2), mention(3, 0, "scene"), mention(4, 1, "animals"), mention(5, 3)],
)


def test_the_best_box_of_each_phrase_with_known_boxes_is_right_or_wrong():
    rows = [[0, *SECOND, 90], [0, *ELSEWHERE], [1, *ELSEWHERE], [1, *FIRST], [2, *SECOND], [3, *FIRST], [9, *FIRST]]
    assert right_boxes(rows, TRUTH) == (2, 3), "a phrase without boxes, and one that is unknown, tell nothing"


def test_chains_are_right_about_pairs_that_workers_can_be_asked_about():
    cases = {
        ((0, 1), (2,)): (3, 3),
        ((0, 1, 2),): (1, 3),
        ((0,), (1,)): (0, 1),
        ((0, 3, 4),): (0, 0),  # of one caption, or of no common type
        ((0, 5),): (0, 0),  # nothing is known of one
    }
    assert {chains: right_links(chains, TRUTH) for chains in cases} == cases


def test_of_100_boxes_62_were_kept_and_about_62_percent_is_promised():
    quality = quality_of(Basis.TRIED, [(1, 1)] * 62 + [(0, 1)] * 38)
    assert quality is not None and quality.share == 0.62
    assert (quality.low, quality.high) == pytest.approx((0.538, 0.696), abs=1e-3)
    assert quality_of(Basis.TRIED, [(0, 0)]) is None


def test_boxes_that_come_and_go_by_images_tell_less_and_the_interval_is_wider():
    alike, together = ([(3, 5)] * 20, [(5, 5)] * 12 + [(0, 5)] * 8)
    narrow, wide = (quality_of(Basis.TRIED, one) for one in (alike, together))
    assert narrow is not None and wide is not None and narrow.share == wide.share
    assert narrow[3:] == pytest.approx((0.517, 0.677), abs=1e-3)
    assert wide[3:] == pytest.approx((0.414, 0.760), abs=1e-3)


def test_what_became_of_boxes_counts_as_soon_as_enough_were_tried():
    known = [(9, 10)]
    few, enough = [(1, LEAST_TRIED - 1)], [(1, LEAST_TRIED)]
    found = [box_quality(*one) for one in ((few, known), (enough, known), (few, []), ([], known), ([], []))]
    assert [one and one.basis for one in found] == [Basis.PHRASES, Basis.TRIED, Basis.TRIED, Basis.PHRASES, None]
    assert isinstance(found[0], Quality) and found[0].score == Score(9, 10)


def test_a_program_stands_where_its_score_is_beyond_chance():
    expected = {
        Score(LEAST - 1, LEAST - 1): ScoreStanding.UNKNOWN,
        Score(LEAST, LEAST): ScoreStanding.ABOVE,
        Score(20, LEAST): ScoreStanding.ABOVE,
        Score(10, LEAST): ScoreStanding.BELOW,
    }
    assert {score: standing(score, 0.7, Rule.INTERVAL) for score in expected} == expected


def test_the_bare_rule_compares_as_the_paper_does():
    assert standing(Score(20, LEAST), 0.7, Rule.BARE) is ScoreStanding.BELOW
