from annotation.rules.chain_merge import merge_chains


def boxes(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


def test_it_joins_chains_with_exactly_the_same_boxes():
    assert merge_chains({1: boxes(7), 2: boxes(7, 8), 3: boxes(8, 7), 4: boxes(7)}) == [(1, 4), (2, 3)]


def test_it_leaves_chains_apart_whose_boxes_only_overlap():
    assert merge_chains({1: boxes(7), 2: boxes(7, 8), 3: boxes(8)}) == [(1,), (2,), (3,)]


def test_it_never_joins_chains_without_a_box():
    assert merge_chains({1: boxes(), 2: boxes(), 3: boxes()}) == [(1,), (2,), (3,)]


def test_it_names_a_merged_chain_by_the_first_in_reading_order():
    assert merge_chains({9: boxes(1), 4: boxes(2), 2: boxes(1)}) == [(9, 2), (4,)]
