"""Note that a worker has read the answers of a conversation."""

from django.db.models import QuerySet

from messaging.models import Conversation, Post
from upkeep import clock


def read_answers(*, conversation_id: int, worker_id: int) -> int:
    """Mark the answers as read. Returns how many were unread; 0 if the conversation is not the worker's."""
    # A subquery: unlike a foreign key, an id takes numbers of any size that an address may hold.
    unread = unread_answers(worker_id).filter(conversation__in=Conversation.objects.filter(id=conversation_id))
    return unread.update(read_at=clock.now())


def unread_answers(worker_id: int) -> QuerySet[Post]:
    """Select the answers that the worker has not read, oldest first."""
    return Post.objects.filter(conversation__worker=worker_id, read_at=None).exclude(actor="").order_by("id")
