from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Chain
from pipeline.management.commands.settings_reference import BEGIN, END, PAGE
from pipeline.models import Entry, SettingsVersion
from pipeline.project.queries import link_sources, stream_progress
from pipeline.project.settings_versions import all_settings, change_settings, current_settings, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.record.replay import replay
from pipeline.settings.settings import Settings
from tests.support.projects import answer, phrases, project_of, states, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ASK = Task.BOX_REQUIREMENT


def test_a_project_has_its_first_settings_from_the_start() -> None:
    settings = Settings(no_box_votes=3)
    assert current_settings(open_project(name="parks", settings=settings).id) == (1, settings)


def test_opening_a_project_again_changes_neither_it_nor_its_settings() -> None:
    first = open_project(name="parks", settings=Settings(no_box_votes=3))
    assert first == open_project(name="parks", settings=Settings(no_box_votes=5))
    assert (SettingsVersion.objects.count(), current_settings(first.id)[1].no_box_votes) == (1, 3)


def test_entries_name_the_version_they_were_applied_under() -> None:
    project = project_of(phrases("animals: a dog"))
    answer(project, worker(project, "ada"), ASK, 3)
    assert change_settings(project_id=project.id, settings=Settings(no_box_votes=3), reason="stricter") == 2
    answer(project, worker(project, "bob"), ASK, 3)
    assert states(project) == ["open"], "two votes for no box are not enough any more"
    answer(project, worker(project, "cleo"), ASK, 3)
    rows = Entry.objects.order_by("sequence").values_list("kind", "settings_version")
    assert list(rows) == [("import", 1), ("start", 1), ("judgment", 1), ("judgment", 2), ("judgment", 2), ("merge", 2)]
    assert Chain.objects.get().state == "non-visual" and list(replay(project)) == []


def test_replay_under_the_newest_settings_alone_would_differ() -> None:
    project = project_of(phrases("animals: a dog"))
    for name in ("ada", "bob"):
        answer(project, worker(project, name), ASK, 3)
    change_settings(project_id=project.id, settings=Settings(no_box_votes=3))
    assert list(replay(project)) == [], "what was decided stays decided"
    Entry.objects.filter(kind="judgment")._raw_delete("default")
    assert list(replay(project)) != []


def test_versions_are_kept_with_their_reason() -> None:
    project = open_project(name="parks")
    change_settings(project_id=project.id, settings=Settings(lease_minutes=5), reason="shorter")
    assert {version: one.lease_minutes for version, one in all_settings(project.id).items()} == {1: 30.0, 2: 5.0}
    assert SettingsVersion.objects.get(version=2).reason == "shorter"


def test_progress_comes_in_import_order() -> None:
    project = project_of(*(phrases("animals: a dog", name=name) for name in ("c", "a", "b")))
    order = list(project.images.order_by("position").values_list("id", flat=True))
    assert [image for image, _ in stream_progress(project)] == order


def test_sources_of_links_are_those_of_finished_images() -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat", "scene: a park"))
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "different")
    assert link_sources(project) == {}
    for name in ("ada", "bob"):
        answer(project, worker(project, name), Task.BOX_REQUIREMENT, 3, 3, 3)
    assert link_sources(project) == {"asked no": 1, "ruled out by type": 2}


def test_the_page_is_current() -> None:
    call_command("settings_reference", "--check")


def test_a_page_that_is_not_current_is_found_and_written_anew(tmp_path: Path, settings: Any) -> None:
    settings.BASE_DIR = tmp_path
    page = tmp_path / PAGE
    with pytest.raises(CommandError, match="run this in a checkout"):
        call_command("settings_reference")
    page.parent.mkdir(parents=True)
    page.write_text("nothing")
    with pytest.raises(CommandError, match="no place for the tables"):
        call_command("settings_reference")
    page.write_text(f"before\n{BEGIN}old\n{END}after\n")
    with pytest.raises(CommandError, match="is not current"):
        call_command("settings_reference", "--check")
    call_command("settings_reference")
    call_command("settings_reference", "--check")
    text = page.read_text()
    assert text.startswith("before") and text.endswith("after\n") and "`merge_iou`" in text and "old\n" not in text
