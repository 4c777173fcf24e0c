"""Find the assignment that a worker's page speaks of, and hold its row."""

from uuid import UUID

from pipeline.errors import NoSuchAssignmentError, NotYoursError
from pipeline.models import Assignment


def lock_assignment(assignment_id: int | UUID, worker_id: int) -> Assignment:
    """By its id or, as pages name it, its token; locked until the caller's transaction ends.

    NoSuchAssignmentError; NotYoursError: it is another worker's.
    """
    name = "token" if isinstance(assignment_id, UUID) else "id"
    assignment = Assignment.objects.select_for_update().filter(**{name: assignment_id}).first()
    if assignment is None:
        raise NoSuchAssignmentError
    if assignment.worker_id != worker_id:
        raise NotYoursError
    return assignment
