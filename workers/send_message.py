"""Say something to workers, on their home page."""

from collections.abc import Iterable

from workers.models import Message


def send_message(*, text: str, worker_ids: Iterable[int], project_id: int | None = None) -> int:
    """`project_id`: the project it concerns; None: none in particular. Returns to how many it went."""
    rows = [Message(worker_id=one, project_id=project_id, text=text) for one in set(worker_ids)]
    return len(Message.objects.bulk_create(rows))
