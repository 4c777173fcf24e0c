"""Messages to workers, shown on their home page."""

from collections.abc import Iterable

from runtime import clock
from workers.models import Message
from workers.rules.texts import Coded
from workers.task_words import in_english


def send_message(*, text: str | Coded, worker_ids: Iterable[int], project_id: int | None = None) -> int:
    """Send a message to these workers and return how many got it. `project_id`: the project that it is about."""
    words = {"text": text} if isinstance(text, str) else {"text": in_english(text)[:2000], "coded": text}
    rows = [Message(worker_id=id_, project_id=project_id, **words) for id_ in set(worker_ids)]
    return len(Message.objects.bulk_create(rows))


def read_message(*, message_id: int, worker_id: int) -> bool:
    """Mark a message as read. Returns False if it was read before, or is not addressed to this worker."""
    unread = Message.objects.filter(pk=message_id, worker=worker_id, read_at=None)
    return unread.update(read_at=clock.now()) == 1
