"""Triggers by which the database refuses every update of the append-only tables.

Rows can still be deleted, since deleting a project deletes its rows and tests empty their tables. On SQLite, a
migration that rebuilds one of these tables drops its trigger, and must create it again.
"""

from django.apps.registry import Apps
from django.db import NotSupportedError
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython

TABLES = (
    "pipeline_entry",
    "pipeline_judgment",
    "pipeline_learned",
    "pipeline_ledgerentry",
    "pipeline_settingsversion",
    "pipeline_transition",
    "workers_trustchange",
)
MESSAGE = "{table} is append-only: a written row never changes; append a new one"
SQLITE = """
    CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
    BEGIN SELECT RAISE(ABORT, '{message}'); END
"""
# A row trigger, so that INSERT ... ON CONFLICT is refused only if it would change a row.
POSTGRESQL_FUNCTION = """
    CREATE OR REPLACE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'integrity_constraint_violation';
    END $$
"""
POSTGRESQL = """
    CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
    FOR EACH ROW EXECUTE FUNCTION refuse_update('{message}')
"""


def guard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the triggers. Raises NotSupportedError on databases other than SQLite and PostgreSQL."""
    trigger = SQLITE if _vendor(editor) == "sqlite" else POSTGRESQL
    if _vendor(editor) == "postgresql":
        editor.execute(POSTGRESQL_FUNCTION)
    for table in TABLES:
        editor.execute(trigger.format(table=table, message=MESSAGE.format(table=table)))


def unguard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the triggers."""
    for table in TABLES:
        on = "" if _vendor(editor) == "sqlite" else f" ON {table}"
        editor.execute(f"DROP TRIGGER {table}_append_only{on}")
    if _vendor(editor) == "postgresql":
        editor.execute("DROP FUNCTION refuse_update()")


def _vendor(editor: BaseDatabaseSchemaEditor) -> str:
    vendor = editor.connection.vendor
    if vendor not in ("sqlite", "postgresql"):
        raise NotSupportedError(f"The record's guards are written for SQLite and PostgreSQL, not {vendor}.")
    return vendor


OPERATIONS = [RunPython(guard, unguard)]
"""The last operations of this app's migrations, since `workers` has made its table by then."""
