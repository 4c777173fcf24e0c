"""Markup in every text that people, files or other services bring: no page may take it for its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F, Value
from django.db.models.functions import Concat

MARKUP = '"><i hostile>'
TEXTS = frozenset(
    {
        *("acceptance_reason", "actor", "added_by", "category", "comment", "contact", "dismissed_by", "doubted"),
        *("explanation", "file", "first_name", "image", "last_error", "made_by", "message", "name", "note", "problem"),
        *("purpose", "reason", "requester", "review", "source", "started_by", "text", "title", "words"),
    }
)
ADDRESSES = frozenset({"annotation.Project.name", "campaign.Figures.name"})
"""Names that stand in addresses, and name no content."""


def put_markup_everywhere() -> set[str]:
    """Append the markup to the texts of all rows, and return the fields that have it: APP.MODEL.FIELD.

    Rows that may only be added are changed, too, within `rows_may_change`. Texts that a constraint wants empty stay so.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
    changed = set()
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            name = f"{model._meta.label}.{field.name}"
            text = isinstance(field, models.CharField | models.TextField) and not field.choices
            if text and field.name in TEXTS and name not in ADDRESSES and _append(model, field.name):
                changed.add(name)
    return changed


@contextmanager
def rows_may_change() -> Iterator[None]:
    """Leave out SQLite's triggers of rows that may only be added; to be entered before the transaction of a test.

    A transaction that drops a trigger itself reads the whole schema again after each of its savepoints.
    """
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            for _, sql in triggers:
                cursor.execute(sql)


def _append(model: type[models.Model], field: str) -> bool:
    try:
        with transaction.atomic():
            return bool(model._default_manager.update(**{field: Concat(F(field), Value(MARKUP))}))
    except IntegrityError:
        return False
