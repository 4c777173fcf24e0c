"""Atoms are ranked by category, known up to a point, and replaced by noise."""

import numpy as np
import pytest

from evaluation.errors import InputError
from evaluation.oracle.known_atoms import Point, atom_lists, bag, noise, numbered, read_accuracies, read_points

ATOMS = [("entity", word) for word in ["dog", "man", "dog", "cat", "man", "hat"]] + [("action", "run")] * 3
NUMBERS = {("entity", "dog"): 0, ("entity", "man"): 1, ("action", "run"): 2}


def test_the_commonest_come_first_and_equal_ones_by_the_alphabet() -> None:
    lists = atom_lists(ATOMS)
    assert lists["entity"] == [("dog", 2), ("man", 2), ("cat", 1), ("hat", 1)]
    assert lists["action"] == [("run", 3)]
    assert lists["attribute"] == []


def test_k_atoms_are_taken_from_each_category() -> None:
    lists = atom_lists(ATOMS)
    assert numbered(lists, ("entity", "action"), 2) == {
        ("entity", "dog"): 0,
        ("entity", "man"): 1,
        ("action", "run"): 2,
    }
    assert numbered(lists, (), 2) == {}


def test_points_are_read_and_named() -> None:
    points = read_points("NA, ALL:50,ENT:200")
    assert points == [Point("NA"), Point("ALL", 50), Point("ENT", 200)]
    assert [point.name for point in points] == ["NA", "ALL:50", "ENT:200"]
    assert Point("ALL", 200, 0.7).name == "ALL:200@0.7"
    assert [len(point.categories) for point in points] == [0, 3, 1]


@pytest.mark.parametrize("text", ["", "ALL", "ALL:0", "ALL:-5", "ALL:ten", "XYZ:50", "NA:5", "all:50", "ALL:²", "A:5,"])
def test_other_points_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a point: give NA, or one of ENT, ACT, ATT, ALL with k"):
        read_points(text)


def test_a_doubled_point_is_refused() -> None:
    with pytest.raises(InputError, match="ALL:50 stands twice"):
        read_points("ALL:50,ALL:50")


def test_accuracies_are_shares() -> None:
    assert read_accuracies("1,0.7") == [1, 0.7]
    for text in ("1.5", "-0.1", "most", "nan", ""):
        with pytest.raises(InputError, match="is not an accuracy"):
            read_accuracies(text)
    with pytest.raises(InputError, match=r"0\.7 stands twice"):
        read_accuracies("0.7,0.70")


def test_a_bag_holds_each_known_atom_once() -> None:
    atoms = [("action", "run"), ("entity", "man"), ("entity", "man"), ("attribute", "red")]
    assert bag(atoms, NUMBERS) == (1, 2)
    assert bag([], NUMBERS) == ()


@pytest.mark.parametrize(("accuracy", "right"), [(1.0, 10), (0.7, 7), (0.55, 5), (0.4, 4), (0.0, 0)])
def test_noise_leaves_a_share_of_the_bag_and_its_size(accuracy: float, right: int) -> None:
    own = tuple(range(10))
    for seed in range(20):
        found = noise(own, accuracy, 40, np.random.default_rng(seed))
        assert len(set(found)) == 10
        assert len(set(found) & set(own)) == right
        assert list(found) == sorted(found)


def test_full_accuracy_draws_no_random_number() -> None:
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    assert noise((1, 2), 1.0, 9, rng) == (1, 2)
    assert rng.random() == other.random()


def test_wrong_atoms_are_all_others_alike() -> None:
    rng = np.random.default_rng(0)
    drawn = [noise((0, 1), 0.0, 6, rng) for _ in range(3000)]
    counts = np.bincount(np.array(drawn).ravel(), minlength=6)
    assert counts[:2].sum() == 0
    assert np.all(np.abs(counts[2:] - 1500) < 150)


def test_with_too_few_others_only_so_many_are_replaced() -> None:
    assert len(set(noise((0, 1, 2, 3), 0.0, 5, np.random.default_rng(0))) & {0, 1, 2, 3}) == 3
    assert noise((), 0.5, 0, np.random.default_rng(0)) == ()
