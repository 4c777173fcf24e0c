"""The database refuses to change a written line of the record; removing a whole image stays possible."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, IntegrityError, NotSupportedError, connection, transaction
from django.db.models import Model

from pipeline.models import Entry, Judgment, Learned, Question, SettingsVersion, Transition, append_only
from tests.support.rows import make_image, make_judgment, make_project, make_story, make_worker
from workers.models import TrustChange

pytestmark = [pytest.mark.both_engines, pytest.mark.smoke, pytest.mark.django_db]
GUARDED = [(Entry, "reason"), (Judgment, "comment"), (Transition, "reason")]
GUARDED += [(SettingsVersion, "reason"), (Learned, "origin")]
each_guarded = pytest.mark.parametrize(("model", "field"), GUARDED, ids=lambda it: getattr(it, "__name__", ""))


def assert_refused(change: Callable[[], object], table: str) -> None:
    with pytest.raises(IntegrityError, match=f"{table} is append-only"), transaction.atomic():
        change()


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


def test_a_bulk_update_and_an_upsert_are_refused() -> None:
    judgment = make_judgment(make_image(make_project()), make_worker())
    judgment.comment = "changed"
    assert_refused(lambda: Judgment.objects.bulk_update([judgment], ["comment"]), "pipeline_judgment")
    upsert: dict[str, Any] = {
        "update_conflicts": True,
        "unique_fields": ["question", "worker"],
        "update_fields": ["comment"],
    }
    judgment.pk = None
    assert_refused(lambda: Judgment.objects.bulk_create([judgment], **upsert), "pipeline_judgment")


def test_other_tables_still_change() -> None:
    image = make_story(make_project())
    assert Question.objects.update(barred_count=3) == 1 and type(image).objects.update(state="boxing") == 1


def test_a_whole_image_can_be_removed_with_its_record() -> None:
    make_story(make_project())
    for model in (Entry, Judgment, Transition, SettingsVersion):
        model.objects.all().delete()
        assert not model.objects.exists()


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


def test_another_database_is_refused_and_not_left_unguarded() -> None:
    class Other:
        class connection:
            vendor = "mysql"

    with pytest.raises(NotSupportedError, match="mysql"):
        append_only.guard(apps, Other)  # type: ignore[arg-type]
