"""Rows of an archive as this database can hold them: nothing points to what is not here."""

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db.models import ForeignKey

from projects.archive.tables import OF_IMAGES, OF_PROJECT, Table

ARCHIVED = frozenset({*(table.label for table in (*OF_IMAGES, *OF_PROJECT)), "workers.Worker"})


def as_here(table: Table, batches: Iterator[Any], *, moved: bool) -> Iterator[Any]:
    """Yield the rows: an account that is gone is named by none. `moved`: those of another installation by none at all.

    The same account number may be somebody else's there.
    """
    columns = [field for field in table.fields if isinstance(field, ForeignKey) and _is_strange(field, moved=moved)]
    there = set(User.objects.values_list("pk", flat=True)) if columns and not moved else set()
    for batch in batches:
        yield _emptied(batch, [column.column for column in columns], there)


def _is_strange(field: "ForeignKey[Any, Any]", *, moved: bool) -> bool:
    """Tell whether the column points to what no archive holds: an account, or, of a moved project, another project."""
    if not moved:
        return field.related_model is User
    return bool(field.null and field.related_model._meta.label not in ARCHIVED)


def _emptied(batch: Any, columns: list[str], there: set[int]) -> Any:
    import pyarrow as arrow

    for column in columns:
        kept = [account if account in there else None for account in batch.column(column).to_pylist()]
        batch = batch.set_column(batch.schema.get_field_index(column), column, arrow.array(kept, arrow.int64()))
    return batch
