"""Migrations run while the service does: no long locks, nothing that the old version still needs taken away."""

import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection, migrations, models
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from annotation.online_index import AddCheckOnline, AddIndexOnline, AddUniqueOnline
from tests.support.table import row

SAFE = (operations.AlterModelManagers, operations.AlterModelOptions, operations.AlterOrderWithRespectTo)
REASON = re.compile(r"^\s*# while running: \S", re.M)
"""A comment in a migration that says why its operations do no harm, in spite of what is found here."""
pytestmark = pytest.mark.both_engines
OURS = {
    "runtime", "annotation", "accounts", "workers", "pipeline", "platforms",
    "exchange", "labelling", "config",
}  # fmt: skip


def faults(migration: Migration, state: ProjectState) -> Iterator[str]:
    """Yield a sentence for each operation that may not run while the service does. `state`: before the migration."""
    module = sys.modules.get(type(migration).__module__)
    if module and REASON.search(inspect.getsource(module)):
        return
    made: set[str] = set()
    for operation in migration.operations:
        if isinstance(operation, operations.CreateModel):
            made.add(operation.name_lower)
        elif getattr(operation, "model_name", "").lower() in made:
            pass  # a new table is empty, and the old version does not know it
        elif fault := _fault(operation, migration, state):
            yield f"{migration.app_label}.{migration.name}: {operation.describe()}: {fault}"
        state = state.clone()
        operation.state_forwards(migration.app_label, state)


def _fault(operation: Operation, migration: Migration, state: ProjectState) -> str:
    match operation:
        case AddIndexConcurrently() | AddUniqueOnline() | AddCheckOnline():
            return "" if not migration.atomic else "the migration needs `atomic = False`"
        case operations.AddIndex():
            return "writes wait until the index is built: use annotation.online_index.AddIndexOnline"
        case operations.AddField():
            return _new_column(operation.field)
        case operations.AlterField():
            return _changed_column(operation, migration.app_label, state)
        case operations.RemoveIndex() | operations.RemoveConstraint():
            return ""  # short: nothing is read
        case _ if isinstance(operation, SAFE):
            return ""
        case operations.RemoveField() | operations.DeleteModel():
            return "the version that still runs reads it: remove it one release after the code that used it"
        case operations.RenameField() | operations.RenameModel() | operations.AlterModelTable():
            return "the version that still runs knows the old name: add a new one and copy"
        case operations.AddConstraint():
            return "all rows are read under a lock: add it to new tables only"
        case operations.SeparateDatabaseAndState() | operations.RunSQL() | operations.RunPython():
            return "nobody can tell from outside: say why it does no harm"
        case _:
            return "this kind of operation is not known to be safe"


def _new_column(field: models.Field) -> str:
    if field.many_to_many:
        return ""
    if field.unique or getattr(field, "db_index", False):
        return "writes wait until its index is built: add the index by itself, with AddIndexOnline"
    if not field.null and not field.has_db_default():
        return "the version that still runs does not fill it: use null=True or db_default"
    return ""


def _changed_column(operation: operations.AlterField, app: str, state: ProjectState) -> str:
    old = state.models[app, operation.model_name_lower].fields[operation.name]
    new = operation.field
    # What changes nothing in the database, and what only allows more.
    wider = type(old) is type(new) and _without(old) == _without(new) and _allows(new, old)
    return "" if wider else "the table is locked, read or written anew: add a new column and copy"


def _allows(new: models.Field, old: models.Field) -> bool:
    longer = (new.max_length or 0) >= (old.max_length or 0)
    return longer and (new.null or not old.null)


def _without(field: models.Field) -> object:
    """Return what a field is, without what may change freely."""
    _, path, arguments, options = field.deconstruct()
    free = {"null", "blank", "max_length", "choices", "default", "validators", "editable"}
    free |= {"help_text", "verbose_name", "related_name"}
    return path, arguments, {name: value for name, value in options.items() if name not in free}


def test_no_migration_since_the_first_ones_stops_a_running_service() -> None:
    loader = MigrationLoader(None)
    wrong: list[str] = []
    for app, name in sorted(loader.disk_migrations):
        migration = loader.disk_migrations[app, name]
        if app not in OURS or migration.initial:
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


@row(migrations.AddField("thing", "more", models.IntegerField(default=1)), "null=True or db_default")
@row(migrations.AddField("thing", "more", models.IntegerField(null=True, db_index=True)), "AddIndexOnline")
@row(migrations.AddField("thing", "more", models.IntegerField(null=True, unique=True)), "AddIndexOnline")
@row(migrations.AddIndex("thing", INDEX), "AddIndexOnline")
@row(AddIndexOnline("thing", INDEX), "atomic = False")
@row(migrations.AlterField("thing", "number", models.BigIntegerField()), "add a new column")
@row(migrations.AlterField("thing", "name", models.CharField(max_length=10)), "add a new column")
@row(migrations.RemoveField("thing", "name"), "one release after")
@row(migrations.DeleteModel("Thing"), "one release after")
@row(migrations.RenameField("thing", "name", "title"), "old name")
@row(migrations.RenameModel("Thing", "Matter"), "old name")
@row(
    migrations.AddConstraint("thing", models.CheckConstraint(condition=models.Q(number__gt=0), name="more")),
    "new tables only",
)
@row(migrations.RunSQL("SELECT 1"), "say why")
@row(migrations.AlterUniqueTogether("thing", {("name", "number")}), "not known to be safe")
def test_an_operation_that_locks_or_breaks_is_found(operation: Any, word: str) -> None:
    [fault] = found(operation)
    assert fault.startswith("workers.0009_some: ") and word in fault


@row(migrations.AddField("thing", "more", models.IntegerField(null=True)))
@row(migrations.AddField("thing", "more", models.IntegerField(db_default=1)))
@row(migrations.AlterField("thing", "number", models.IntegerField(null=True)))
@row(migrations.AlterField("thing", "name", models.CharField(max_length=200, help_text="longer")))
@row(migrations.AlterField("thing", "number", models.IntegerField(help_text="other words")))
@row(migrations.RemoveIndex("thing", "thing_number"))
@row(migrations.AlterModelOptions("thing", {"ordering": ["name"]}))
def test_an_operation_that_does_no_harm_is_not(operation: Any) -> None:
    if isinstance(operation, migrations.RemoveIndex):
        assert not found(AddIndexOnline("thing", INDEX), operation, atomic=False)
    else:
        assert not found(operation)


def test_a_new_table_may_have_any_index() -> None:
    made = migrations.CreateModel("Matter", [("id", models.BigAutoField(primary_key=True))])
    assert not found(made, migrations.AddIndex("matter", models.Index(fields=["id"], name="matter_id")))


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
