"""Keep a lease alive while its worker is at work, and store the draft of the answers."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from pipeline.asking.read_assignment import lock_assignment
from pipeline.models import Assignment
from pipeline.settings_versions import current_settings


@transaction.atomic
def keep_lease(*, token: UUID, worker_id: int, draft: Any = None, now: datetime | None = None) -> Assignment:
    """Extend a running lease, up to the setting, and store the draft; None leaves the draft as it was.

    A draft is stored even if the lease has run out. Raises NoSuchAssignmentError, or NotYoursError if another worker
    holds the assignment.
    """
    now = now or timezone.now()
    assignment = lock_assignment(token, worker_id)
    changed = []
    if assignment.state == Assignment.State.ACTIVE and assignment.expires_at > now:
        _, settings = current_settings(assignment.project_id)
        most = assignment.created_at + timedelta(minutes=settings.lease_most_minutes)
        longer = min(now + timedelta(minutes=settings.lease_minutes), most)
        if longer > assignment.expires_at:
            assignment.expires_at = longer
            changed.append("expires_at")
    if draft is not None and assignment.state in (Assignment.State.ACTIVE, Assignment.State.EXPIRED):
        assignment.draft = draft
        changed.append("draft")
    if changed:
        assignment.save(update_fields=changed)
    return assignment
