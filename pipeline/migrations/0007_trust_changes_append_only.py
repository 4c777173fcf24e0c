"""A written change of trust never changes, as any line of the record."""

from importlib import import_module

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

TABLE = "workers_trustchange"
first = import_module("pipeline.migrations.0002_append_only")


def guard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    trigger = first.SQLITE if editor.connection.vendor == "sqlite" else first.POSTGRESQL
    editor.execute(trigger.format(table=TABLE, message=first.MESSAGE.format(table=TABLE)))


def unguard(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    on = "" if editor.connection.vendor == "sqlite" else f" ON {TABLE}"
    editor.execute(f"DROP TRIGGER {TABLE}_append_only{on}")


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0006_stock"), ("workers", "0003_trust")]
    operations = [migrations.RunPython(guard, unguard)]
