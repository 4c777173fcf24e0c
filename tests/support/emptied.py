"""After a test that commits, the tables that hold rows are emptied.

Django would empty all seventy, which takes PostgreSQL half a second, and write the content types and permissions again.
No test changes these two.
"""

from functools import cache

from django.apps import apps
from django.db import connection, transaction

STAY = {"django_content_type", "auth_permission"}
"""The tables that migrations have filled."""


@cache
def tables() -> list[str]:
    models = apps.get_models(include_auto_created=True)
    return sorted({model._meta.db_table for model in models if model._meta.managed} - STAY)


def empty_filled_tables() -> None:
    """Delete every row that a test has committed.

    On SQLite ids begin with 1 again: lots are drawn by ids, so each test draws the same ones, whatever ran before it.
    PostgreSQL's sequences go on, as after Django's own flush.
    """
    quote = connection.ops.quote_name
    filled = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})" for table in tables())
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(filled))
        names = [name for (name,) in cursor.fetchall()]
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")  # deletes in any order
        for name in names:
            cursor.execute(f"DELETE FROM {quote(name)}")
        if connection.vendor == "sqlite":
            cursor.execute(f"DELETE FROM sqlite_sequence WHERE name NOT IN ({', '.join(map(repr, sorted(STAY)))})")
