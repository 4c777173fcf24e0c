"""Agreement on captions, counted by hand."""

from pipeline.rules.tasks.caption_check import Verdict
from surveys.rules.agreement import Judged, agreement, histogram, named_by_majority

CORRECT, WRONG = Verdict.CORRECT, Verdict.WRONG
JUDGED = [
    Judged(CORRECT, 3, 3),
    Judged(CORRECT, 3, 2),
    Judged(CORRECT, 3, 1),
    Judged(CORRECT, 3, 3),
    Judged(WRONG, 3, 3, named=2),
    Judged(WRONG, 3, 2, named=1),
]


def test_the_majority_and_everybody_are_counted_for_each_kind_and_overall_is_their_mean() -> None:
    shares = agreement(JUDGED)
    assert shares["correct captions"] == (4, 0.75, 0.5)
    assert shares["foils"] == (2, 1.0, 0.5)
    assert shares["overall"] == (6, 0.875, 0.5)


def test_without_captions_of_a_kind_there_is_neither_its_share_nor_an_overall_one() -> None:
    shares = agreement(JUDGED[:4])
    assert shares["foils"] == (0, None, None)
    assert shares["overall"] == (4, None, None)


def test_a_foil_counts_as_named_if_more_than_half_of_the_votes_name_its_word() -> None:
    half = Judged(WRONG, 4, 3, named=2)
    assert named_by_majority([*JUDGED, half]) == (1, 3)


def test_half_of_the_votes_is_no_majority() -> None:
    assert agreement([Judged(CORRECT, 4, 2), Judged(CORRECT, 4, 3)])["correct captions"] == (2, 0.5, 0.0)


def test_the_histogram_has_a_bar_for_every_number_of_right_votes() -> None:
    assert histogram(JUDGED) == [(0, 0, 0), (1, 1, 0), (2, 1, 1), (3, 2, 1)]
    assert histogram([]) == []
