"""Indexes and checks for large tables, added while the service runs."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations.operations import AddConstraint, AddIndex


class AddIndexOnline(AddIndexConcurrently):
    """Adds an index: concurrently on PostgreSQL, so that writes go on; SQLite needs no other way.

    The migration must say `atomic = False`.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        else:
            AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)


class AddUniqueOnline(AddConstraint):
    """Adds a unique constraint with a condition, which is an index: like `AddIndexOnline`."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            made = str(self.constraint.create_sql(model, schema_editor))
            schema_editor.execute(
                made.replace("CREATE UNIQUE INDEX", "CREATE UNIQUE INDEX CONCURRENTLY", 1), params=None
            )


class AddCheckOnline(AddConstraint):
    """Adds a check: PostgreSQL then reads the rows that are there without keeping writers out.

    The migration must say `atomic = False`: within one transaction the lock of the first statement would stay.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            quote = schema_editor.quote_name
            made = self.constraint.create_sql(model, schema_editor)
            schema_editor.execute(f"{made} NOT VALID", params=None)
            table, name = quote(model._meta.db_table), quote(self.constraint.name)
            schema_editor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}", params=None)
