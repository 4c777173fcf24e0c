"""Seeds, progress and digests of a step, and results that an interrupted run leaves for the next one."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from evaluation.work import PartialResults, Work, digest_of


def test_random_numbers_depend_on_seed_and_use_alone() -> None:
    work, same, other = Work(None, {}, seed=1), Work(None, {}, seed=1), Work(None, {}, seed=2)
    work.rng("another use").random()
    assert work.rng("use").random() == same.rng("use").random()
    assert len({work.rng("use").random(), work.rng("else").random(), other.rng("use").random()}) == 3


def test_progress_is_told_to_a_listener() -> None:
    told: list[tuple[int, int, str]] = []
    work = Work(None, {}, told=lambda *one: told.append(one))
    assert list(work.progress([5, 6], "reading")) == [5, 6]
    assert told == [(0, 2, "reading"), (1, 2, "reading")]


def test_finished_parts_are_told_to_a_listener_or_on_the_error_output(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int, str]] = []
    Work(None, {}, told=lambda *one: told.append(one)).say("epoch 1")
    assert told == [(0, 0, "epoch 1")]
    Work(None, {}).say("epoch 2")
    assert capsys.readouterr().err == "epoch 2\n"


def test_a_file_is_noted_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    work = Work(None, {"against": path, "fit": None})
    assert work.file("against") == path
    assert work.file("fit") is None
    assert work.inputs == {"against": hashlib.sha256(b"").hexdigest()}


def test_a_folder_has_another_digest_when_a_name_or_a_byte_changes(export: Path) -> None:
    before = digest_of(export)
    assert digest_of(export) == before
    file = export / "Sentences" / "cat.txt"
    file.rename(export / "Sentences" / "dog.txt")
    renamed = digest_of(export)
    (export / "Sentences" / "dog.txt").write_text("A dog .")
    assert len({before, renamed, digest_of(export)}) == 3


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
