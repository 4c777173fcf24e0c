"""Markup in every text that people, files or other services bring: no page may take it for its own."""

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

    Rows that may only be added are changed, too, until the test's transaction is rolled back. Texts that a constraint
    wants empty stay so.
    """
    _let_rows_change()
    changed = set()
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            name = f"{model._meta.label}.{field.name}"
            text = isinstance(field, models.CharField | models.TextField) and not field.choices
            if text and field.name in TEXTS and name not in ADDRESSES and _append(model, field.name):
                changed.add(name)
    return changed


def _let_rows_change() -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            return
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")


def _append(model: type[models.Model], field: str) -> bool:
    try:
        with transaction.atomic():
            return bool(model._default_manager.update(**{field: Concat(F(field), Value(MARKUP))}))
    except IntegrityError:
        return False
