"""A project as large as the paper's in minutes at most: copies of a small one's images, with all that was done.

The id of a row's copy is that of the row and a multiple of one number, which is larger than every id there is. So the
copy of a row that points to another one points to that one's copy, and no statement looks rows up.
"""

import time
from collections.abc import Callable
from typing import Any

from django.db import connection, transaction
from django.db.models import DateTimeField, Field, Max, Model

from annotation.models import Box, Caption, Chain, Image, Mention, MergedBox, Project
from pipeline.models import Assignment, Entry, Judgment, LedgerEntry, Progress, Question, Skip, Spending, Transition
from pipeline.money import spend_cap
from projects.models import ModelPrediction
from studies.large_project.template import make_template

COPIED: tuple[type[Model], ...] = (
    *(Image, Caption, Mention, Chain, Box, MergedBox, Progress, Question, Assignment, Judgment, Skip),
    *(Entry, Transition, LedgerEntry, ModelPrediction),
)
CHANGED: dict[tuple[type[Model], str], str] = {
    (Image, "name"): "t.name || '-' || c",
    (Image, "position"): "t.position + c * %(images)s",
    (Caption, "text"): "t.text || ' ' || c",  # so that words are rare, too
    (Assignment, "questions"): "'[]'",  # ids, which nothing reads of what was submitted
    (Assignment, "known"): "'{}'",
    (Caption, "words"): "t.words || to_jsonb(c::text)",
    (Caption, "offsets"): "t.offsets || to_jsonb(length(t.text) + 1)",
    (Assignment, "token"): "gen_random_uuid()",
    (LedgerEntry, "reference"): "t.reference || '-' || c",
}
"""Values that are not those of the copied row, in SQL; `c` is the number of the copy."""
DAYS = 60
"""The days over which the copies were annotated, one after another."""


@transaction.atomic
def multiply(project: Project, copies: int, step: Callable[[str], object]) -> None:
    """Copy every image of the project, with its work, until there are `copies` of each. `step` hears each table."""
    rows = {model: _rows(project, model) for model in COPIED}
    given = {
        "copies": copies,
        "images": len(rows[Image]),
        "stride": 1 + max(_last(model) for model in COPIED if model._meta.pk.column == "id"),
    }
    with connection.cursor() as cursor:
        # Foreign keys and triggers are not checked: ids are computed, and checking takes longer than writing.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for model in COPIED:
            columns = {f'"{field.column}"': _value(model, field) for field in model._meta.concrete_fields}
            table, pk = model._meta.db_table, model._meta.pk.column
            cursor.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM {table} t,"
                f" generate_series(1, %(copies)s - 1) c WHERE t.{pk} = ANY(%(rows)s)",
                {**given, "rows": rows[model]},
            )
            step(f"{table}: {cursor.rowcount:,} rows")
            if pk == "id":
                cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")


def _rows(project: Project, model: type[Model]) -> list[int]:
    return list(model._default_manager.filter(**{_path(model): project}).values_list("pk", flat=True))


def _path(model: type[Model]) -> str:
    """Return the look-up from a copied row to its project."""
    found = {field.related_model: field.name for field in model._meta.concrete_fields if field.related_model}
    if Project in found:
        return found[Project]
    parent = next(one for one in COPIED if one in found)
    return f"{found[parent]}__{_path(parent)}"


def _last(model: type[Model]) -> int:
    return int(model._default_manager.aggregate(last=Max("pk"))["last"] or 0)


def _value(model: type[Model], field: "Field[Any, Any]") -> str:
    """Return what the copies have in a column, in SQL."""
    own = f't."{field.column}"'
    if field.related_model in COPIED or (field.primary_key and not field.related_model):
        return f"{own} + c * %(stride)s"
    if isinstance(field, DateTimeField):
        return f"{own} - c * interval '{DAYS} days' / %(copies)s"
    return CHANGED.get((model, field.name), own)


def make_large_project(
    name: str, images: int, *, copies: int, crowd: str = "paper", say: Callable[[str], object] = lambda line: None
) -> Project:
    """Make a project of about this number of images, and report what each table got. `copies`: of each image.

    Raises ValueError on a database other than PostgreSQL.
    """
    if connection.vendor != "postgresql":
        raise ValueError("large_project fills PostgreSQL only: set DATABASE_URL, or use scripts/with_services.py.")
    begun = time.monotonic()
    project = make_template(name, -(-images // copies), crowd)
    multiply(project, copies, say)
    Spending.objects.filter(project=project).update(committed_cents=spend_cap.committed(project.pk))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    say(f"{project.images.count():,} images made in {time.monotonic() - begun:.0f} s")
    return project
