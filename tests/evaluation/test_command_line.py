"""The command: it lists steps, writes whole reports or none, and says what is wrong in one sentence."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.command_line import main, overview
from evaluation.step import all_steps

BASELINES = ("localization", "baselines")
Run = Callable[..., dict[str, Any]]


def test_it_lists_every_step_with_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    told = capsys.readouterr().out
    assert told == overview() + "\n"
    assert all(f"{step.system} {step.name}" in told and step.words in told for step in all_steps())


def test_every_step_explains_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    for step in all_steps():
        with pytest.raises(SystemExit) as left:
            main([step.system, step.name, "--help"])
        assert left.value.code == 0
        told = " ".join(capsys.readouterr().out.split())
        assert all(f"--{option.name.replace('_', '-')}" in told for option in step.options), (step.system, step.name)


def test_a_report_has_figures_settings_versions_and_digests(run: Run, export: Path) -> None:
    report = run(*BASELINES, "--data", export, "--seed", "7")
    assert set(report) == {"figures", "n", "seed", "settings", "versions", "inputs"}
    assert report["n"] == 5
    assert report["seed"] == 7
    assert report["settings"]["step"] == "localization baselines"
    assert len(report["inputs"]["data"]) == 64
    assert {"python", "numpy"} <= set(report["versions"])


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_in_every_file_and_another_one_other_random_figures(
    run: Run, export: Path, tmp_path: Path
) -> None:
    figures = {}
    for out, seed in (("first", "1"), ("second", "1"), ("other", "2")):
        arguments = ["content_selection", "baselines", "--data", export, "--draws", "5", "--seed", seed]
        report = run(*arguments, out=out, charts=True)
        figures[out] = report["figures"]
    assert figures["first"]["random.P@1"] != figures["other"]["random.P@1"]
    assert figures["first"]["size.P@1"] == figures["other"]["size.P@1"]
    first, second = (
        {file.name: file.read_bytes() for file in (tmp_path / out).iterdir()} for out in ("first", "second")
    )
    assert {"report.json", "report.md", "table_1.csv", "figure_3.svg", "figure_3.png"} <= set(first)
    assert first == second


@pytest.mark.slow
def test_a_report_without_charts_has_the_same_figures_and_tables(run: Run, export: Path, tmp_path: Path) -> None:
    assert run(*BASELINES, "--data", export, charts=True) == run(*BASELINES, "--data", export, out="without")
    whole, without = ({one.name for one in (tmp_path / out).iterdir()} for out in ("report", "without"))
    charts = {name for name in whole if name.endswith((".svg", ".png"))}
    names = ("figure_9a", "figure_9b", "recall_by_k", "recall_by_type")
    assert charts == {f"{name}.{ending}" for name in names for ending in ("svg", "png")}
    assert without == whole - charts
    assert ".svg" not in (tmp_path / "without" / "report.md").read_text()


def test_a_refused_input_leaves_no_report(export: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    (export / "Sentences" / "cat.txt").write_text("A [cat sits\n")
    assert "Sentences/cat.txt, line 1: the bracket at character 3" in refused(*BASELINES, "--data", export)
    assert {one.name for one in tmp_path.iterdir()} == {"export"}


def test_an_earlier_report_stays_if_the_next_input_is_refused(
    run: Run, export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run(*BASELINES, "--data", export)
    (export / "Annotations" / "cat.xml").unlink()
    assert main([*BASELINES, "--data", str(export), "--out", str(tmp_path / "report")]) == 1
    told = capsys.readouterr().err
    assert "Annotations/cat.xml is missing" in told
    assert "is that of an earlier run" in told
    assert before["n"] == 5


def test_a_folder_of_something_else_is_not_replaced(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*BASELINES, "--data", str(export), "--out", str(export)]) == 1
    assert "is not empty and holds no report" in capsys.readouterr().err
    assert (export / "Sentences").is_dir()


@pytest.mark.slow
def test_a_report_replaces_an_earlier_one_with_all_its_files(run: Run, export: Path, tmp_path: Path) -> None:
    run("content_selection", "baselines", "--data", export, "--draws", "5", charts=True)
    assert (tmp_path / "report" / "figure_3.svg").exists()
    run(*BASELINES, "--data", export)
    assert not (tmp_path / "report" / "figure_3.svg").exists()
    assert (tmp_path / "report" / "table_6.csv").exists()
    assert {one.name for one in tmp_path.iterdir()} == {"export", "report"}


def test_a_missing_input_is_named(tmp_path: Path, refused: Callable[..., str]) -> None:
    assert "--data: " in refused(*BASELINES, "--data", tmp_path / "none")


def test_it_starts_without_the_service_but_for_the_rules_of_phrases() -> None:
    pytest.importorskip("scipy", reason="needs the extra evaluation")
    code = (
        "import sys; from evaluation.command_line import main; main([]);"
        "rules = ('annotation', 'annotation.rules');"
        "ours = ('django', 'config', 'annotation', 'exchange');"
        "found = [one for one in sys.modules if one.partition('.')[0] in ours];"
        "print([one for one in found if one not in rules and not one.startswith('annotation.rules.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
