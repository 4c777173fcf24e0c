"""Keep an assignment alive while its worker works on it, with what the page has so far."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from pipeline.asking.lock_assignment import lock_assignment
from pipeline.models import Assignment
from pipeline.settings_versions import current_settings


@transaction.atomic
def keep_assignment(*, token: UUID, worker_id: int, draft: Any = None, now: datetime | None = None) -> Assignment:
    """Extend a lease that still runs, up to the setting, and keep the draft (None: as it was), whether or not it runs.

    NoSuchAssignmentError, NotYoursError.
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
