"""Numbers of chains and boxes: one for each, whatever was merged."""

from gallery.shown_boxes import box_names, chain_numbers


def test_a_merged_chain_has_the_number_of_the_chain_that_it_was_merged_into() -> None:
    assert chain_numbers([7, 3, 7, 9]) == {7: 1, 3: 2, 9: 3}


def test_boxes_are_named_by_their_chain_and_joined_ones_alike() -> None:
    numbers = {7: 1, 3: 2}
    one_each = [(0, 7), (1, 3)]
    several = [(2, 7), (0, 7), (1, 3), (5, 3), (4, 9), *((number, 7) for number in range(10, 36))]
    assert box_names(one_each, numbers) == {0: "1", 1: "2"}
    named = box_names(several, numbers, joined=[[0, 1, 2]])
    assert [named[number] for number in (0, 2, 1, 5, 4)] == ["1a", "1a", "2a", "2b", "?"]
    assert (named[10], named[34], named[35]) == ("1b", "1z", "1aa")
