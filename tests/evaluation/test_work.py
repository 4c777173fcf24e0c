"""Seeds and progress of a step."""

import hashlib
from pathlib import Path

import pytest

from evaluation.work import Work


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
