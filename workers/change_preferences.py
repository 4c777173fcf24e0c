"""Change how a worker likes to work."""

from typing import Any

from django.db import transaction

from workers.models import Worker
from workers.preferences import Preferences


def change_preferences(*, worker_id: int, changes: dict[str, Any]) -> Preferences:
    """Store the changes and return all preferences of the worker; the row is locked, so that no change is lost.

    Raises ValueError for wrong values.
    """
    with transaction.atomic():
        worker = Worker.objects.select_for_update().only("preferences").get(id=worker_id)
        preferences = Preferences.from_json(worker.preferences).changed(changes)
        Worker.objects.filter(id=worker_id).update(preferences=preferences.to_json())
    return preferences
