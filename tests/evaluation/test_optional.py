"""Optional packages are named, with the command that installs them, when they are missing."""

import sys
from pathlib import Path

import pytest

from evaluation.command_line import main
from evaluation.errors import MissingExtra
from evaluation.optional import need


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
