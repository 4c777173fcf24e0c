"""Copies of an image with everything that the next answer acts on: a large project in seconds, on PostgreSQL."""

from django.db import connection, transaction
from django.db.models import Model

from annotation.models import Box, Caption, Chain, Image, Mention, Project
from pipeline.models import Progress, Question
from pipeline.rules.tasks.task import QuestionState

WINDOW = 250
"""Images in work at a time."""
OPEN = f"t.state = '{QuestionState.OPEN.value}'"


@transaction.atomic
def clone_image(image: Image, into: Project, copies: int, first: int, *, spread: bool) -> None:
    """`first`: the position of the first copy. The record of what came before is not copied: no answer reads it.

    `spread`: neighbours among the questions are of different images, so that answers share as little as can be; but
    within WINDOW images, for questions are asked oldest first, so that work goes through a project like a window.
    """
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE copies (id bigint, n integer) ON COMMIT DROP")
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


def _copy(cursor, model: type[Model], image: int, changed: dict[str, str], rest: str = "") -> None:  # type: ignore[no-untyped-def]
    columns, values = _columns(model, changed)
    table = model._meta.db_table
    cursor.execute(
        f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table} t, copies WHERE t.image_id = %s {rest}", [image]
    )


def _columns(model: type[Model], changed: dict[str, str]) -> tuple[str, str]:
    """(columns, what each gets), the table's own key left out unless it is the image."""
    names = [field.column for field in model._meta.concrete_fields if field.column not in (None, "id")]
    return ", ".join(f'"{name}"' for name in names), ", ".join(changed.get(name, f't."{name}"') for name in names)
