"""The hardest foil has the lowest loss."""

from evaluation.foil.making.hardest import hardest


def test_the_lowest_loss_is_chosen_and_the_first_of_equal_ones() -> None:
    assert hardest([2.0, 1.5, 3.0, 1.5]) == 1
