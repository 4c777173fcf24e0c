"""The study of turns: a juror that begins to guess is found, and one that stays as it is is not."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from studies.boxes.turns import turns


@pytest.mark.slow
def test_the_command_says_in_how_many_runs_it_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    call_command("juror_turns", seeds=1, turn=40, within=30, proposer=0.7, json=file)
    (run,) = json.loads(file.read_text())
    assert run["seed"] == 0 and run["found"] is None, "too few answers show no turn"
    assert "Found within 30 chains in 0 of 1 runs" in capsys.readouterr().out


@pytest.mark.slow
def test_a_juror_that_does_not_turn_is_not_found() -> None:
    (run,) = turns("first", range(1), proposer=None, after=0.08, turn=60, within=30)
    assert (run.found, run.wrongly) == (None, 0) and run.refits
