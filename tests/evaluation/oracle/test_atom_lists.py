"""Atoms are ranked by how often they occur, in each category by itself."""

from evaluation.oracle.atom_lists import atom_lists, numbered

ATOMS = [("entity", word) for word in ["dog", "man", "dog", "cat", "man", "hat"]] + [("action", "run")] * 3


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
