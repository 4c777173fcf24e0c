"""Finds operations of a migration that stop the running service, or break the old version that runs beside the new."""

import inspect
import re
import sys
from collections.abc import Iterator

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from annotation.online_index import AddCheckOnline, AddUniqueOnline

SAFE = (
    operations.AlterModelManagers,
    operations.AlterModelOptions,
    operations.AlterOrderWithRespectTo,
)
REASON = re.compile(r"^\s*# while running: \S", re.M)
"""A comment in a migration that says why its operations do no harm, in spite of what is found here."""


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
    free = {
        "null",
        "blank",
        "max_length",
        "help_text",
        "verbose_name",
        "choices",
        "default",
        "validators",
        "editable",
        "related_name",
    }
    return path, arguments, {name: value for name, value in options.items() if name not in free}
