"""The command: it lists steps, writes whole reports or none, and says what is wrong in one sentence.
Optional packages are named, with the command that installs them, when they are missing.
Seeds, progress and digests of a step, and results that an interrupted run leaves for the next one.
"""

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.command_line import main, overview
from evaluation.errors import MissingExtra
from evaluation.optional import need
from evaluation.step import all_steps
from evaluation.work import PartialResults, Work, digest_of

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
    assert (report["n"], report["seed"], report["settings"]["step"]) == (5, 7, "localization baselines")
    assert len(report["inputs"]["data"]) == 64 and {"python", "numpy"} <= set(report["versions"])


@pytest.mark.slow
def test_a_seed_gives_the_same_files_and_another_other_random_figures(run: Run, export: Path, tmp_path: Path) -> None:
    figures = {}
    for out, seed in (("first", "1"), ("second", "1"), ("other", "2")):
        arguments = ["content_selection", "baselines", "--data", export, "--draws", "5", "--seed", seed]
        figures[out] = run(*arguments, out=out, charts=True)["figures"]
    assert figures["first"]["random.P@1"] != figures["other"]["random.P@1"]
    assert figures["first"]["size.P@1"] == figures["other"]["size.P@1"]
    first, second = ({one.name: one.read_bytes() for one in (tmp_path / out).iterdir()} for out in ("first", "second"))
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


def test_refused_input_is_told_and_leaves_no_report(export: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    (export / "Sentences" / "cat.txt").write_text("A [cat sits\n")
    assert "Sentences/cat.txt, line 1: the bracket at character 3" in refused(*BASELINES, "--data", export)
    assert "--data: " in refused(*BASELINES, "--data", tmp_path / "none")
    assert {one.name for one in tmp_path.iterdir()} == {"export"}


def test_an_earlier_report_stays_if_the_next_input_is_refused_and_a_folder_of_something_else_always(
    run: Run, export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run(*BASELINES, "--data", export)
    assert main([*BASELINES, "--data", str(export), "--out", str(export)]) == 1
    assert "is not empty and holds no report" in capsys.readouterr().err and (export / "Sentences").is_dir()
    (export / "Annotations" / "cat.xml").unlink()
    assert main([*BASELINES, "--data", str(export), "--out", str(tmp_path / "report")]) == 1
    told = capsys.readouterr().err
    assert "Annotations/cat.xml is missing" in told and "is that of an earlier run" in told
    assert before["n"] == 5


@pytest.mark.slow
def test_a_report_replaces_an_earlier_one_with_all_its_files(run: Run, export: Path, tmp_path: Path) -> None:
    run("content_selection", "baselines", "--data", export, "--draws", "5", charts=True)
    assert (tmp_path / "report" / "figure_3.svg").exists()
    run(*BASELINES, "--data", export)
    assert not (tmp_path / "report" / "figure_3.svg").exists()
    assert (tmp_path / "report" / "table_6.csv").exists()
    assert {one.name for one in tmp_path.iterdir()} == {"export", "report"}


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


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingExtra, match=r"Finding edges needs opencv-.*pip install opencv-.*“evaluation-vision”"):
        need("cv2", "finding edges")


def test_without_matplotlib_a_step_says_so_and_writes_nothing_unless_charts_are_left_out(
    monkeypatch: pytest.MonkeyPatch, export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ["localization", "baselines", "--data", str(export), "--out", str(tmp_path / "report")]
    assert main(arguments) == 1
    assert "Drawing charts needs matplotlib" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()
    assert main([*arguments, "--no-charts"]) == 0


def test_random_numbers_depend_on_seed_and_use_alone() -> None:
    work, same, other = Work(None, {}, seed=1), Work(None, {}, seed=1), Work(None, {}, seed=2)
    work.rng("another use").random()
    assert work.rng("use").random() == same.rng("use").random()
    assert len({work.rng("use").random(), work.rng("else").random(), other.rng("use").random()}) == 3


def test_progress_and_finished_parts_are_told_to_a_listener_or_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[tuple[int, int, str]] = []
    work = Work(None, {}, told=lambda *one: told.append(one))
    assert list(work.progress([5, 6], "reading")) == [5, 6]
    work.say("epoch 1")
    assert told == [(0, 2, "reading"), (1, 2, "reading"), (0, 0, "epoch 1")]
    Work(None, {}).say("epoch 2")
    assert capsys.readouterr().err == "epoch 2\n"


def test_a_file_is_noted_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    work = Work(None, {"against": path, "fit": None})
    assert (work.file("against"), work.file("fit")) == (path, None)
    assert work.inputs == {"against": hashlib.sha256(b"").hexdigest()}


def test_a_folder_has_another_digest_when_a_name_or_a_byte_changes(export: Path) -> None:
    before = digest_of(export)
    assert digest_of(export) == before
    file = (export / "Sentences" / "cat.txt").rename(export / "Sentences" / "dog.txt")
    renamed = digest_of(export)
    file.write_text("A dog .")
    assert len({before, renamed, digest_of(export)}) == 3


def made() -> dict[str, np.ndarray]:
    return {"a": np.arange(3)}


def never() -> dict[str, np.ndarray]:
    raise AssertionError("made again")


def test_an_array_is_made_once_for_a_key_and_nothing_is_left_when_it_is_forgotten(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    kept.arrays("part", {"seed": 1}, made)
    assert kept.arrays("part", {"seed": 1}, never)["a"].tolist() == [0, 1, 2]
    assert kept.arrays("part", {"seed": 2}, lambda: {"a": np.zeros(1)})["a"].tolist() == [0]
    kept.forget()
    assert list(tmp_path.iterdir()) == []
    assert PartialResults().arrays("part", {}, made)["a"].tolist() == [0, 1, 2], "without a folder nothing is kept"


def test_what_is_kept_is_found_until_it_is_dropped(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    assert kept.find("part", {}) is None
    kept.keep("part", {}, made())
    found = kept.find("part", {})
    assert found is not None and found["a"].tolist() == [0, 1, 2]
    kept.drop("part", {})
    kept.drop("part", {})
    assert kept.find("part", {}) is None
