"""The lessons of a project stand apart from its settings: what was given stays beside it, and no row is ever edited.
The database refuses to change a written line of the record; removing a whole image stays possible.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.utils import quote
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, NotSupportedError, connection, transaction
from django.db.models import Model

from annotation.models import Chain, Project
from belief.boxes.box_prior import BoxPrior
from belief.learned import LearnedState
from belief.links.link_prior import DEFAULT, WORDLESS, LinkPrior
from pipeline.learning.refit import given_to, store_learned
from pipeline.management.commands.settings_reference import BEGIN, END, PAGE
from pipeline.models import Entry, Judgment, Learned, Origin, Question, SettingsVersion, Transition, append_only
from pipeline.models import Learned as LearnedRow
from pipeline.models.record import new_key
from pipeline.project.queries import link_sources, stream_progress
from pipeline.project.settings_versions import (
    all_settings,
    change_settings,
    chosen_versions,
    current_settings,
    learned_values,
    open_project,
)
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from tests.support.projects import answer, phrases, project_of, states, worker
from tests.support.rows import make_image, make_judgment, make_project, make_story, make_worker
from tests.support.settings_with import settings_with
from workers.models import TrustChange

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


GIVEN, ONCE, TWICE = (replace(WORDLESS, refitted_on=images).to_json() for images in (0, 15, 30))
BOXES = BoxPrior(refitted_on=15).to_json()
FIRST = settings_with(link_prior=GIVEN)


def refit(project: Project, **values: Any) -> None:
    learned = LearnedState.from_json(values)
    assert store_learned(project.id, current_settings(project.id)[0], learned, "a refit", answers=9)


def change(project: Project, **values: Any) -> None:
    settings = settings_with(current_settings(project.id)[1], **values)
    change_settings(project_id=project.id, settings=settings, reason="by hand")


def origins(project: Project) -> list[tuple[str, bool]]:
    rows = LearnedRow.objects.filter(project=project).order_by("created_at", "base")
    return sorted((row.origin, row.base_id is not None) for row in rows)


def test_a_refit_keeps_the_settings_and_what_was_given_and_every_version_reads_as_it_was() -> None:
    project = open_project(name="parks", settings=FIRST)
    refit(project, link_prior=ONCE)
    refit(project, link_prior=TWICE, box_prior=BOXES)
    change(project, no_box_votes=3)
    once, twice = settings_with(FIRST, link_prior=ONCE), settings_with(FIRST, link_prior=TWICE, box_prior=BOXES)
    assert all_settings(project.id) == {1: FIRST, 2: once, 3: twice, 4: replace(twice, no_box_votes=3)}
    assert chosen_versions(project.id) == {1: FIRST, 4: replace(FIRST, no_box_votes=3)}
    assert given_to(project.id) == LearnedState(links=LinkPrior.from_json(GIVEN))
    assert origins(project) == [("given", False), ("refit", True), ("refit", True)]
    states = list(SettingsVersion.objects.filter(project=project).order_by("version").values_list("learned", flat=True))
    assert len(set(states)) == 3 and states[2] == states[3], "a version that changes settings shares the learned state"
    third, fourth = (all_settings(project.id)[version].learned for version in (3, 4))
    assert third is fourth, "what is kept with a prior is kept once"


def test_a_learned_value_that_somebody_changes_is_given_and_what_was_learned_can_be_forgotten() -> None:
    project = open_project(name="parks", settings=FIRST)
    refit(project, link_prior=ONCE, box_prior=BOXES)
    change(project, link_prior={})
    assert current_settings(project.id)[1] == settings_with(FIRST, link_prior={}, box_prior=BOXES)
    assert chosen_versions(project.id) == {1: FIRST, 3: settings_with(FIRST, link_prior={})}
    project = open_project(name="forgetful", settings=FIRST)
    refit(project, link_prior=ONCE, box_prior=BOXES)
    change(project, link_prior=GIVEN, box_prior={})
    assert current_settings(project.id)[1] == FIRST
    first, _, last = SettingsVersion.objects.filter(project=project).order_by("version")
    assert first.learned == last.learned, "what was given is in force again"


def test_a_prior_that_a_refit_learned_elsewhere_is_in_force_and_was_not_given() -> None:
    project = open_project(name="copy", settings=settings_with(FIRST, link_prior=ONCE, link_errors={}))
    assert current_settings(project.id)[1].learned.links.to_json() == ONCE
    assert given_to(project.id).links == DEFAULT and origins(project) == [("refit", False)]
    change(project, link_prior=TWICE)
    assert current_settings(project.id)[1].learned.links.to_json() == TWICE and given_to(project.id).links == DEFAULT


def test_a_fit_that_somebody_asked_for_is_told_from_what_was_given_by_hand() -> None:
    project = open_project(name="parks")
    change_settings(project_id=project.id, settings=FIRST, origin=Origin.FITTED)
    assert origins(project) == [("fitted", False)]


def test_a_project_without_learned_values_has_no_learned_state_not_even_of_a_refit_that_comes_too_late() -> None:
    project = open_project(name="parks")
    change(project, no_box_votes=3)
    assert store_learned(project.id, 1, LearnedState.from_json({"link_prior": ONCE}), "a refit", answers=9) is None
    assert not LearnedRow.objects.exists() and current_settings(project.id)[0] == 2


def test_a_state_whose_transaction_failed_is_never_read_for_another() -> None:
    project = open_project(name="parks")
    with pytest.raises(RuntimeError), transaction.atomic():
        change(project, link_prior=GIVEN)
        assert learned_values(LearnedRow.objects.get().key)["link_prior"] == GIVEN
        raise RuntimeError
    refit(project, link_prior=ONCE)
    assert current_settings(project.id)[1].learned.links.to_json() == ONCE


def test_a_key_stands_in_an_address_as_it_is_whatever_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_bytes", lambda size: b"\xff" * size)
    assert quote(new_key()) == new_key(), "the admin pages quote underscores"


ASK = Task.BOX_REQUIREMENT


def test_a_project_has_its_first_settings_from_the_start_and_opening_it_again_changes_neither() -> None:
    settings = Settings(no_box_votes=3)
    first = open_project(name="parks", settings=settings)
    assert current_settings(first.id) == (1, settings)
    assert first == open_project(name="parks", settings=Settings(no_box_votes=5))
    assert (SettingsVersion.objects.count(), current_settings(first.id)[1]) == (1, settings)


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


def test_the_page_is_current_and_one_that_is_not_is_found_and_written_anew(tmp_path: Path, settings: Any) -> None:
    call_command("settings_reference", "--check")
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


GUARDED = [(Entry, "reason"), (Judgment, "comment"), (Transition, "reason")]
GUARDED += [(SettingsVersion, "reason"), (Learned, "origin")]
each_guarded = pytest.mark.parametrize(("model", "field"), GUARDED, ids=lambda it: getattr(it, "__name__", ""))


def assert_refused(change: Callable[[], object], table: str) -> None:
    with pytest.raises(IntegrityError, match=f"{table} is append-only"), transaction.atomic():
        change()


@pytest.mark.smoke
@each_guarded
def test_an_update_through_the_model_and_in_sql_is_refused(model: type[Model], field: str) -> None:
    make_story(make_project())
    row = model._default_manager.get()
    before = getattr(row, field)
    setattr(row, field, "changed")
    assert_refused(row.save, model._meta.db_table)
    assert_refused(lambda: model._default_manager.update(**{field: "changed"}), model._meta.db_table)
    with connection.cursor() as cursor:
        sql = f"UPDATE {model._meta.db_table} SET {field} = 'changed'"
        assert_refused(lambda: cursor.execute(sql), model._meta.db_table)
    row.refresh_from_db()
    assert getattr(row, field) == before


@pytest.mark.smoke
def test_a_bulk_update_and_an_upsert_are_refused() -> None:
    judgment = make_judgment(make_image(make_project()), make_worker())
    judgment.comment = "changed"
    assert_refused(lambda: Judgment.objects.bulk_update([judgment], ["comment"]), "pipeline_judgment")
    upsert: dict[str, Any] = {"update_conflicts": True, "unique_fields": ["question", "worker"]}
    upsert |= {"update_fields": ["comment"]}
    judgment.pk = None
    assert_refused(lambda: Judgment.objects.bulk_create([judgment], **upsert), "pipeline_judgment")


@pytest.mark.smoke
def test_other_tables_still_change_and_a_whole_image_can_be_removed_with_its_record() -> None:
    image = make_story(make_project())
    assert Question.objects.update(barred_count=3) == 1 and type(image).objects.update(state="boxing") == 1
    for model in (Entry, Judgment, Transition, SettingsVersion):
        model.objects.all().delete()
        assert not model.objects.exists()


@pytest.mark.smoke
@pytest.mark.django_db(transaction=True)
def test_the_guards_can_be_taken_back_and_set_again() -> None:
    make_story(make_project())
    assert_guarded()
    with connection.schema_editor() as editor:
        append_only.unguard(apps, editor)
    try:
        assert Entry.objects.update(reason="changed") == 1 and TrustChange.objects.update(reason="changed") == 1
    finally:
        with connection.schema_editor() as editor:
            append_only.guard(apps, editor)
    assert_guarded()


def assert_guarded() -> None:
    for model in (Entry, TrustChange):
        with pytest.raises(DatabaseError, match="append-only"):
            model.objects.update(reason="changed")


@pytest.mark.smoke
def test_another_database_is_refused_and_not_left_unguarded() -> None:
    class Other:
        class connection:
            vendor = "mysql"

    with pytest.raises(NotSupportedError, match="mysql"):
        append_only.guard(apps, Other)  # type: ignore[arg-type]
