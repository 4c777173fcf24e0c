"""Halves and folds never share an image."""

from evaluation.localization.cues.halves import folds, halves


def test_halves_and_folds_are_disjoint_whole_and_repeatable() -> None:
    names = [f"image{number}" for number in range(501)]
    first, second = halves(names, 3)
    assert (len(first), len(second)) == (250, 251)
    assert not set(first) & set(second) and sorted([*first, *second]) == sorted(names)
    assert halves(reversed(names), 3) == (first, second)
    assert halves(names, 4) != (first, second)
    parts = folds(first)
    assert len(parts) == 5 and sorted(name for part in parts for name in part) == first
