from typing import Any

from django.db import migrations

from annotation.word_search import words_sql

# while running: the indexes are built concurrently, so reads and writes go on; SQLite has none.
INDEXES = {"mention_words": "annotation_mention", "caption_words": "annotation_caption"}


def build(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        for name, table in INDEXES.items():
            # A build that was interrupted leaves an index that is not used: drop it first.
            editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            column = words_sql("text")
            editor.execute(f"CREATE INDEX CONCURRENTLY {name} ON {table} USING gin (({column}))", params=None)


def drop(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        for name in INDEXES:
            editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0006_figures_indexes")]
    operations = [migrations.RunPython(build, drop)]
