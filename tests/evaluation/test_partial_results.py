"""Results that an interrupted run leaves for the next one."""

from pathlib import Path

import numpy as np

from evaluation.partial_results import PartialResults


def made() -> dict[str, np.ndarray]:
    return {"a": np.arange(3)}


def never() -> dict[str, np.ndarray]:
    raise AssertionError("made again")


def test_an_array_is_made_once(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    kept.arrays("part", {"seed": 1}, made)
    again = kept.arrays("part", {"seed": 1}, never)
    assert again["a"].tolist() == [0, 1, 2]


def test_another_key_makes_it_anew(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    kept.arrays("part", {"seed": 1}, made)
    assert kept.arrays("part", {"seed": 2}, lambda: {"a": np.zeros(1)})["a"].tolist() == [0]


def test_nothing_is_left_when_it_is_forgotten(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    kept.arrays("part", {}, made)
    kept.forget()
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_nothing_is_kept() -> None:
    assert PartialResults().arrays("part", {}, made)["a"].tolist() == [0, 1, 2]


def test_what_is_kept_is_found_until_it_is_dropped(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    assert kept.find("part", {}) is None
    kept.keep("part", {}, made())
    found = kept.find("part", {})
    assert found is not None and found["a"].tolist() == [0, 1, 2]
    kept.drop("part", {})
    kept.drop("part", {})
    assert kept.find("part", {}) is None
