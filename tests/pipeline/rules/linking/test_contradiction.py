"""The first contradiction that still matters."""

from pipeline.rules.linking.contradiction import first_contradiction
from tests.pipeline.rules.linking.test_transitivity import masks


def found(size: int, yes: list[tuple[int, int]], no: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Take the first contradiction again and again, until none has a link that was in no earlier one."""
    fresh, paths = {*yes, *no}, []
    while path := first_contradiction(masks(size, yes), masks(size, no), masks(size, sorted(fresh))):
        paths.append(path)
        fresh -= {(min(pair), max(pair)) for pair in zip(path, (*path[1:], path[0]), strict=True)}
    return paths


def test_two_yes_and_a_no_contradict():
    assert found(3, [(0, 1), (1, 2)], [(0, 2)]) == [(0, 1, 2)]


def test_three_yes_or_a_single_yes_do_not_contradict():
    assert found(3, [(0, 1), (1, 2), (0, 2)], []) == []
    assert found(3, [(0, 1)], [(1, 2), (0, 2)]) == []


def test_an_unknown_third_link_does_not_contradict():
    assert found(3, [(0, 1), (1, 2)], []) == []


def test_a_no_between_the_ends_of_a_longer_path_of_yes_contradicts():
    assert found(4, [(0, 1), (1, 2), (2, 3)], [(0, 3)]) == [(0, 1, 2, 3)]
    assert found(5, [(0, 4), (2, 4), (1, 2), (1, 3)], [(0, 3)]) == [(0, 4, 2, 1, 3)]


def test_the_shortest_path_comes_first_then_reading_order():
    yes = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert found(5, yes, [(0, 3), (2, 4)]) == [(2, 3, 4), (0, 1, 2, 3)]
    assert found(4, [(0, 1), (0, 2), (0, 3)], [(1, 2), (2, 3)]) == [(1, 0, 2), (2, 0, 3)]


def test_every_shortest_path_between_the_ends_of_a_no_is_a_contradiction():
    assert found(4, [(0, 1), (1, 3), (0, 2), (2, 3)], [(0, 3)]) == [(0, 1, 3), (0, 2, 3)]


def test_a_contradiction_without_a_fresh_link_is_passed_over():
    yes, no = masks(4, [(0, 1), (1, 2), (1, 3)]), masks(4, [(0, 2), (2, 3)])
    assert first_contradiction(yes, no, masks(4, [(1, 3)])) == (2, 1, 3)
    assert first_contradiction(yes, no, [0] * 4) is None
