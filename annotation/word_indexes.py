"""The indexes of words of PostgreSQL, in which `annotation.word_search` looks words up. SQLite has none."""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython

from annotation.word_search import words_sql

INDEXES = {"mention_words_as_read": "annotation_mention", "caption_words_as_read": "annotation_caption"}


def build(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the indexes."""
    if editor.connection.vendor == "postgresql":
        for name, table in INDEXES.items():
            editor.execute(f"CREATE INDEX {name} ON {table} USING gin (({words_sql('text')}))", params=None)


def drop(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the indexes."""
    if editor.connection.vendor == "postgresql":
        for name in INDEXES:
            editor.execute(f"DROP INDEX {name}")


OPERATIONS = [RunPython(build, drop)]
"""The last operations of this app's migrations."""
