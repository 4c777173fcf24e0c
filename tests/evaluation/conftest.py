"""Small exports, the real ones, and a network that is out of reach."""

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from evaluation.command_line import main
from projects.schemas import validate_file

NAMED = {"report.json": "report", "split.json": "split"}
"""The kinds of files that may hold too little to be told by it."""
Rows = Sequence[Mapping[str, Any]]


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leave nothing on the path on which programs are looked for: the start of Java takes longer than most tests."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to use a socket fail."""

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("the evaluation opened a socket")

    for name in ("connect", "connect_ex", "bind", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)


@pytest.fixture(scope="session")
def entities(data_folder: Path) -> Path:
    """The real export of 500 images."""
    return data_folder / "flickr30k-entities"


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Two images: a man with a hat and a dog, one phrase without a box and one that is not visual; and a cat."""
    folder = tmp_path / "export"
    (folder / "Sentences").mkdir(parents=True)
    (folder / "Annotations").mkdir()
    (folder / "Sentences" / "man.txt").write_text(
        "[/EN#1/people A man] in [/EN#2/clothing/other a red hat] with [/EN#3/animals a dog] .\n"
        "[/EN#0/notvisual There] is [/EN#1/people a man] on [/EN#4/scene a beach] .\n"
    )
    boxes = {"1": (11, 11, 50, 100), "2": (21, 11, 40, 30), "3": (61, 61, 100, 100)}
    (folder / "Annotations" / "man.xml").write_text(annotation(120, 100, boxes))
    (folder / "Sentences" / "cat.txt").write_text("[/EN#9/animals A cat] sits .\n")
    (folder / "Annotations" / "cat.xml").write_text(annotation(40, 40, {"9": (1, 1, 20, 40)}))
    return folder


def annotation(width: int, height: int, boxes: Mapping[str, tuple[int, int, int, int]]) -> str:
    """Return an annotation file with these boxes, from 1 and inclusive."""
    objects = "".join(
        f"<object><name>{chain}</name><bndbox><xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax><ymax>{y1}</ymax>"
        "</bndbox></object>"
        for chain, (x0, y0, x1, y1) in boxes.items()
    )
    return f"<annotation><size><width>{width}</width><height>{height}</height></size>{objects}</annotation>"


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rows as JSON Lines."""

    def write(*rows: Mapping[str, Any] | str, name: str = "predictions.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
        return path

    return write


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that runs a step by its command, checks its files of JSON, and returns what report.json holds.

    A chart takes a tenth of a second or more, so tests that look at none have none.
    """

    def call(*arguments: str | Path, out: str = "report", charts: bool = False) -> dict[str, Any]:
        without = [] if charts else ["--no-charts"]
        assert main([*map(str, arguments), *without, "--out", str(tmp_path / out)]) == 0
        for path in sorted((tmp_path / out).glob("*.json*")):
            assert validate_file(path, NAMED.get(path.name, ""), most=3).faults == []
        return json.loads((tmp_path / out / "report.json").read_text())

    return call


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs a step that must fail and leave no report, and returns the line it fails with."""

    def call(*arguments: str | Path) -> str:
        assert main([*map(str, arguments), "--out", str(tmp_path / "refused")]) == 1
        assert not (tmp_path / "refused").exists()
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        return told

    return call
