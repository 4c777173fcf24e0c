"""Copies of an image with everything that the next answer acts on: a large project in seconds, on PostgreSQL."""

from typing import Any

from django.db import connection, transaction
from django.db.models import Model

from annotation.models import Box, Caption, Chain, Image, Mention, Project
from pipeline.models import Progress, Question
from pipeline.rules.tasks.task import QuestionState

WINDOW = 250
"""Images that are worked on at the same time."""
OPEN = f"t.state = '{QuestionState.OPEN.value}'"


@transaction.atomic
def clone_image(image: Image, into: Project, copies: int, first: int, *, spread: bool) -> None:
    """Copy the image and its open questions `copies` times; the first copy gets the position `first`.

    The record of earlier entries is not copied: no answer reads it. With `spread`, neighbouring questions belong to
    different images, so that answers share as little as possible. The images stay within a window of WINDOW images,
    because questions are asked oldest first and work moves through a project like a window.
    """
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE copies (id bigint, n integer)")
        project = {"project_id": str(into.id)}
        columns, values = _columns(Image, {"name": "t.name || '-' || n", "position": "n", **project})
        cursor.execute(
            f"WITH made AS (INSERT INTO annotation_image ({columns}) SELECT {values} FROM annotation_image t,"
            " generate_series(%s, %s) n WHERE t.id = %s RETURNING id, position)"
            " INSERT INTO copies SELECT id, position FROM made",
            [first, first + copies - 1, image.id],
        )
        for model in (Caption, Chain, Box):
            _copy(cursor, model, image.id, {"image_id": "copies.id"})
        _copy(cursor, Progress, image.id, {"image_id": "copies.id", **project})
        caption = "(SELECT c.id FROM annotation_caption c, annotation_caption o WHERE c.image_id = copies.id"
        caption += " AND o.id = t.caption_id AND c.number = o.number)"
        _copy(cursor, Mention, image.id, {"image_id": "copies.id", "caption_id": caption})
        order = f"copies.n / {WINDOW}, t.number, copies.n" if spread else "copies.n, t.number"
        _copy(cursor, Question, image.id, {"image_id": "copies.id", **project}, f"AND {OPEN} ORDER BY {order}")
        cursor.execute("DROP TABLE copies")  # within a caller's transaction, there may be another copy


def _copy(cursor: Any, model: type[Model], image: int, changed: dict[str, str], rest: str = "") -> None:
    columns, values = _columns(model, changed)
    table = model._meta.db_table
    cursor.execute(
        f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} t, copies WHERE t.image_id = %s {rest}", [image]
    )


def _columns(model: type[Model], changed: dict[str, str]) -> tuple[str, str]:
    """Return the columns and the value of each in SQL, without the table's own key."""
    names = [field.column for field in model._meta.concrete_fields if field.column not in (None, "id")]
    return ", ".join(f'"{name}"' for name in names), ", ".join(changed.get(name, f't."{name}"') for name in names)
