"""Bags hold each known atom once; noise replaces the right number of them by others."""

import numpy as np
import pytest

from evaluation.oracle.bag import bag, noise

NUMBERS = {("entity", "dog"): 0, ("entity", "man"): 1, ("action", "run"): 2}


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
