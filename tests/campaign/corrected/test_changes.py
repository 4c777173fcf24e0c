"""A data set is checked, and what has changed is told: by whom, and by how many answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from campaign.corrected.change_rows import lines_of
from pipeline.project.settings_versions import open_project
from pipeline.record.intervene import act_as_expert, undo_entry
from pipeline.record.replay import replay
from pipeline.tick import tick
from tests.support.checked import OFF, PLACE, checked_project
from tests.support.kept import Kept

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Kept:
    return Kept(django_db_blocker, lambda: checked_project(1))


@pytest.fixture
def checked(kept: Kept, db: None) -> Project:
    kept.write()
    return Project.objects.get()


def changes(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(project)]


@pytest.mark.slow
def test_a_change_is_told_with_the_people_who_found_it_and_an_expert_confirms_it_and_takes_that_back(
    checked: Project,
) -> None:
    image = checked.images.get(position=1)
    (line,) = changes(checked)
    assert (line["image"], line["kinds"], line["errors"]) == (image.name, ["box off its place"], ["wrong box"])
    assert [(one["before"], one["after"]) for one in line["boxes"]] == [(OFF, PLACE)]
    assert line["before"][0]["mentions"] == line["after"][0]["mentions"]
    assert len(line["people"]) == line["votes"] >= 1
    assert (line["state"], line["experts"], line["programs"]) == ("by answers", [], [])
    assert 0 < line["confidence"]["boxes"] <= 1

    rows = [[one["mentions"], one["boxes"], one["flag"]] for one in line["after"]]
    act_as_expert(image_id=image.id, action={"action": "confirm", "labels": rows}, actor="ada")
    (confirmed,) = changes(checked)
    assert confirmed == {**line, "state": "confirmed by an expert", "experts": confirmed["experts"]}
    assert len(confirmed["experts"]) == 1
    image.refresh_from_db()
    assert image.state == "merged"
    undo_entry(image_id=image.id, entry=image.entries.latest("sequence").sequence, actor="ada")
    assert changes(checked) == [line]
    assert not list(replay(checked))


def test_a_change_that_an_expert_takes_back_leaves_the_label_of_the_source(checked: Project) -> None:
    image = checked.images.get(position=1)
    (line,) = changes(checked)
    before, after = (
        [[one["mentions"], one["boxes"], one["flag"]] for one in line[when]] for when in ("before", "after")
    )
    action = {"action": "take back", "labels": before, "was": after}
    act_as_expert(image_id=image.id, action=action, actor="ada", reason="it was right")
    tick(project_id=checked.pk)
    (back,) = changes(checked)
    assert (back["state"], back["before"], back["after"]) == ("taken back by an expert", line["before"], line["after"])
    assert not list(replay(checked))


def test_the_command_writes_the_same_bytes_again_and_its_file_is_valid(
    checked: Project, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("campaign.corrected.changes.IMAGES_AT_ONCE", 2)
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    call_command("changes", "checked", out=first)
    call_command("changes", "checked", out=second)
    assert first.read_bytes() == second.read_bytes() != b""
    capsys.readouterr()
    call_command("changes", "checked")
    assert capsys.readouterr().out == first.read_text("utf-8")
    call_command("validate", str(first))
    with pytest.raises(CommandError, match="is not empty"):
        call_command("changes", "checked", out=first)


def test_a_project_that_checks_nothing_has_no_changes() -> None:
    open_project(name="plain")
    with pytest.raises(CommandError, match="checks no data set"):
        call_command("changes", "plain")
