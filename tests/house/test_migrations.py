"""Migrations run while the service does: no long locks, nothing that the old version still needs taken away."""

from types import ModuleType
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState

from annotation.online_index import AddIndexOnline
from tests.support.migration_rules import faults

pytestmark = pytest.mark.both_engines

OURS = (
    "upkeep",
    "annotation",
    "members",
    "workers",
    "pipeline",
    "platforms",
    "exchange",
    "labelling",
    "messaging",
    "reports",
    "gallery",
    "config",
)
BEFORE_THE_RULE = {
    # Makes a foreign key anew, for which PostgreSQL reads all questions under a lock: stop the service for it.
    "pipeline.0002_question_project_index",
    # Makes two foreign keys anew, and three indexes.
    "pipeline.0003_partial_indexes",
}


def test_no_migration_since_the_first_ones_stops_a_running_service() -> None:
    loader = MigrationLoader(None)
    wrong: list[str] = []
    for app, name in sorted(loader.disk_migrations):
        migration = loader.disk_migrations[app, name]
        if app not in OURS or migration.initial or f"{app}.{name}" in BEFORE_THE_RULE:
            continue
        parents = [key for key in migration.dependencies if key in loader.disk_migrations]
        state = loader.project_state(parents or None)
        wrong += faults(migration, state)
    assert not wrong, "\n".join(wrong) + "\nSee docs/how-to/operations.md, 'Migrations while the service runs'."


def before() -> ProjectState:
    state = ProjectState()
    fields: list[tuple[str, models.Field[Any, Any]]] = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=20)),
        ("number", models.IntegerField()),
    ]
    state.add_model(ModelState("workers", "Thing", fields))
    return state


def found(*operations: Any, atomic: bool = True) -> list[str]:
    made = type("Migration", (migrations.Migration,), {"operations": list(operations), "atomic": atomic})
    return list(faults(made("0009_some", "workers"), before()))


INDEX = models.Index(fields=["number"], name="thing_number")


@pytest.mark.parametrize(
    ("operation", "word"),
    [
        (migrations.AddField("thing", "more", models.IntegerField(default=1)), "null=True or db_default"),
        (migrations.AddField("thing", "more", models.IntegerField(null=True, db_index=True)), "AddIndexOnline"),
        (migrations.AddField("thing", "more", models.IntegerField(null=True, unique=True)), "AddIndexOnline"),
        (migrations.AddIndex("thing", INDEX), "AddIndexOnline"),
        (AddIndexOnline("thing", INDEX), "atomic = False"),
        (migrations.AlterField("thing", "number", models.BigIntegerField()), "add a new column"),
        (migrations.AlterField("thing", "name", models.CharField(max_length=10)), "add a new column"),
        (migrations.RemoveField("thing", "name"), "one release after"),
        (migrations.DeleteModel("Thing"), "one release after"),
        (migrations.RenameField("thing", "name", "title"), "old name"),
        (migrations.RenameModel("Thing", "Matter"), "old name"),
        (
            migrations.AddConstraint("thing", models.CheckConstraint(condition=models.Q(number__gt=0), name="more")),
            "new tables only",
        ),
        (migrations.RunSQL("SELECT 1"), "say why"),
        (migrations.AlterUniqueTogether("thing", {("name", "number")}), "not known to be safe"),
    ],
)
def test_an_operation_that_locks_or_breaks_is_found(operation: Any, word: str) -> None:
    [fault] = found(operation)
    assert fault.startswith("workers.0009_some: ")
    assert word in fault


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("thing", "more", models.IntegerField(null=True)),
        migrations.AddField("thing", "more", models.IntegerField(db_default=1)),
        migrations.AlterField("thing", "number", models.IntegerField(null=True)),
        migrations.AlterField("thing", "name", models.CharField(max_length=200, help_text="longer")),
        migrations.AlterField("thing", "number", models.IntegerField(help_text="other words")),
        migrations.RemoveIndex("thing", "thing_number"),
        migrations.AlterModelOptions("thing", {"ordering": ["name"]}),
    ],
)
def test_an_operation_that_does_no_harm_is_not(operation: Any) -> None:
    if isinstance(operation, migrations.RemoveIndex):
        assert not found(AddIndexOnline("thing", INDEX), operation, atomic=False)
    else:
        assert not found(operation)


def test_a_new_table_may_have_any_index() -> None:
    made = migrations.CreateModel("Matter", [("id", models.BigAutoField(primary_key=True))])
    index = models.Index(fields=["id"], name="matter_id")
    assert not found(made, migrations.AddIndex("matter", index))


def test_a_written_reason_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    module = ModuleType("migration_with_reason")
    monkeypatch.setitem(sys.modules, "migration_with_reason", module)
    operations = [migrations.RemoveField("thing", "name")]
    made = type("Migration", (migrations.Migration,), {"operations": operations, "__module__": module.__name__})
    for source, count in (("# while running: no version has read it since 0.1\n", 0), ("# while running:\n", 1)):
        monkeypatch.setattr("inspect.getsource", lambda of, source=source: source)
        assert len(list(faults(made("0009_some", "workers"), before()))) == count


@pytest.mark.django_db(transaction=True)
def test_an_index_is_built_online_and_taken_away() -> None:
    model = apps.get_model("workers", "Worker")
    state = ProjectState.from_apps(apps)
    operation = AddIndexOnline("worker", models.Index(fields=["kind"], name="worker_kind_online"))
    after = state.clone()
    operation.state_forwards("workers", after)
    with connection.schema_editor(atomic=False) as editor:
        operation.database_forwards("workers", editor, state, after)
    assert "worker_kind_online" in constraints(model)
    with connection.schema_editor(atomic=False) as editor:
        operation.database_backwards("workers", editor, after, state)
    assert "worker_kind_online" not in constraints(model)


def constraints(model: type[models.Model]) -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, model._meta.db_table))
