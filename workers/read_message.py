"""Note that a worker has read a message."""

from django.utils import timezone

from workers.models import Message


def read_message(*, message_id: int, worker_id: int) -> bool:
    """False: it was read before, or is not to this worker."""
    unread = Message.objects.filter(pk=message_id, worker=worker_id, read_at=None)
    return unread.update(read_at=timezone.now()) == 1
