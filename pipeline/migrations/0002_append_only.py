"""The database itself refuses to change a written line of the record, whoever asks."""

from django.db import NotSupportedError, migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TABLES = ("pipeline_entry", "pipeline_judgment", "pipeline_transition", "pipeline_settingsversion")
MESSAGE = "{table} is append-only: a written row never changes; append a new one"

# DELETE stays possible: removing a whole project cascades, and tests empty their tables.
SQLITE = """
    CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
    BEGIN SELECT RAISE(ABORT, '{message}'); END
"""
# Per row, so that INSERT ... ON CONFLICT is refused only where it would change a row.
POSTGRESQL_FUNCTION = """
    CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'integrity_constraint_violation';
    END $$
"""
POSTGRESQL = """
    CREATE TRIGGER {table}_append_only BEFORE UPDATE ON {table}
    FOR EACH ROW EXECUTE FUNCTION refuse_update('{message}')
"""


def _vendor(editor: BaseDatabaseSchemaEditor) -> str:
    vendor = editor.connection.vendor
    if vendor not in ("sqlite", "postgresql"):
        raise NotSupportedError(f"The record's guards are written for SQLite and PostgreSQL, not {vendor}.")
    return vendor


def guard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    vendor = _vendor(editor)
    if vendor == "postgresql":
        editor.execute(POSTGRESQL_FUNCTION)
    trigger = SQLITE if vendor == "sqlite" else POSTGRESQL
    for table in TABLES:
        editor.execute(trigger.format(table=table, message=MESSAGE.format(table=table)))


def unguard(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    vendor = _vendor(editor)
    for table in TABLES:
        on = "" if vendor == "sqlite" else f" ON {table}"
        editor.execute(f"DROP TRIGGER {table}_append_only{on}")
    if vendor == "postgresql":
        editor.execute("DROP FUNCTION refuse_update()")


class Migration(migrations.Migration):
    # On SQLite, a later migration that rebuilds one of these tables drops its trigger: make it again there.
    dependencies = [("pipeline", "0001_initial")]
    operations = [migrations.RunPython(guard, unguard)]
