"""One caption of a picture for each worker: whoever was given a caption of a picture is given no other one of it.

Both versions of a caption differ in one word, so that a worker who has met one could judge the other by comparing. What
counts is what a worker was shown, whatever became of it: answered, skipped, returned, run out, or still in work; in
assignments leased ahead of time, too, and as a verification question. The same question may be shown again, as after a
return. Only the caption check has this rule.
"""

from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from pipeline.protocol.tasks.task import Task
from runtime.prepared_query import Slot

# Assignments name their questions in JSON. They are read in the database: a worker may have had thousands.
POSTGRESQL = {
    "questions": "CROSS JOIN LATERAL jsonb_array_elements_text(given.questions) AS each(value)",
    "known": "CROSS JOIN LATERAL jsonb_each_text(given.known) AS each(place, value)",
}
SQLITE = {
    "questions": "CROSS JOIN json_each(given.questions) AS each",
    "known": "CROSS JOIN json_each(given.known) AS each",
}
CAPTION_SHOWN_SQL = f"""
    SELECT {{table}}.id, {{table}}.image_id FROM pipeline_assignment given {{each}}
    JOIN {{table}} ON {{table}}.id = CAST(each.value AS bigint)
    WHERE given.worker_id = %s AND given.project_id = %s AND given.task = '{Task.CAPTION_CHECK.value}'
"""


class Met(NamedTuple):
    """The captions that a worker was shown in a project."""

    known: frozenset[int]
    """Ids of verification questions."""
    images: frozenset[int]
    """Ids of the images of these, and of the real questions."""

    def leaves_free(self, known: int, image: int) -> bool:
        """Return whether the worker may be asked this verification question of this image."""
        return known in self.known or image not in self.images


def met_captions(worker_id: int, project_id: int) -> Met:
    """Read what the worker was shown, in one statement."""
    statement = (
        f"SELECT id, 0, image_id FROM ({_of_real()}) AS real UNION ALL SELECT 0, id, image_id FROM ({_of_known()}) k"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [worker_id, project_id] * 2)
        rows = cursor.fetchall()
    return Met(frozenset(known for _, known, _ in rows if known), frozenset(image for *_, image in rows))


def is_first_caption(worker_id: int | Slot, project_id: int | Slot) -> RawSQL:
    """Return the condition on a row of pipeline_question that the worker has met no other caption of its image."""
    condition = f"""(
        pipeline_question.id IN (SELECT id FROM ({_of_real()}) AS same)
        OR pipeline_question.image_id NOT IN (
            SELECT image_id FROM ({_of_real()}) AS real UNION ALL SELECT image_id FROM ({_of_known()}) AS checked
        )
    )"""
    return RawSQL(condition, (worker_id, project_id) * 3, output_field=BooleanField())


def _of_real() -> str:
    return CAPTION_SHOWN_SQL.format(table="pipeline_question", each=_each()["questions"])


def _of_known() -> str:
    return CAPTION_SHOWN_SQL.format(table="pipeline_knownquestion", each=_each()["known"])


def _each() -> dict[str, Any]:
    return POSTGRESQL if connection.vendor == "postgresql" else SQLITE
