"""The check that a caller may still act, as a condition in SQL: statements that write carry it, and need no other."""

from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from pipeline.errors import NoAccessError, SignedOutError
from pipeline.models import Assignment

HAS_ACCESS = """EXISTS (
    SELECT 1 FROM workers_access access WHERE access.worker_id = pipeline_assignment.worker_id
        AND access.project_id = pipeline_assignment.project_id AND access.task = pipeline_assignment.task
)"""
"""A condition on a row of pipeline_assignment: its worker has access to its task."""


class Guard(NamedTuple):
    """A condition in SQL that holds while the caller is signed in, and the values of its parameters."""

    condition: str = "1 = 1"
    values: tuple[Any, ...] = ()

    def holds(self) -> bool:
        """Ask the database, in a statement of its own."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT 1 WHERE {self.condition}", self.values)
            return cursor.fetchone() is not None

    def columns(self) -> dict[str, RawSQL]:
        """Return the annotations `signed_in` and `has_access` for a query of assignments."""
        return {
            "signed_in": RawSQL(f"({self.condition})", self.values, output_field=BooleanField()),
            "has_access": RawSQL(HAS_ACCESS, (), output_field=BooleanField()),
        }


NOBODY_TO_CHECK = Guard()


def refuse_stranger(assignment: Assignment) -> None:
    """Raise SignedOutError or NoAccessError by the annotations of `Guard.columns`.

    A submitted assignment needs no access any more: its answers are stored, and its receipt is read again.
    """
    if not assignment.signed_in:  # type: ignore[attr-defined]
        raise SignedOutError
    submitted = assignment.state == Assignment.State.SUBMITTED
    if not (submitted or assignment.has_access):  # type: ignore[attr-defined]
        raise NoAccessError
