from typing import Any

from django.db import migrations

from annotation.word_search import words_sql

# while running: the new indexes are built concurrently, and only then the old ones go. The old version's searches read
# whole tables until it has ended, and find the same.
INDEXES = {"mention_words_as_read": "annotation_mention", "caption_words_as_read": "annotation_caption"}
OLD = ("mention_words", "caption_words")


def build(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        for name, table in INDEXES.items():
            # A build that was interrupted leaves an index that is not used: drop it first.
            editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            column = words_sql("text")
            editor.execute(f"CREATE INDEX CONCURRENTLY {name} ON {table} USING gin (({column}))", params=None)
        for name in OLD:
            editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


def drop(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        for name in INDEXES:
            editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("annotation", "0012_survey_projects")]
    operations = [migrations.RunPython(build, drop)]
