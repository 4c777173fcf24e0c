"""Forget what was written with a worker: conversations, answers, and the requester's messages to the worker."""

from django.db import transaction

from messaging.models import Conversation, Post
from workers.models import Message


@transaction.atomic
def forget_messages(worker_id: int) -> int:
    """Delete all texts from and to the worker, with mail that is due. Returns how many there were."""
    notices, _ = Message.objects.filter(worker=worker_id).delete()
    posts, _ = Post.objects.filter(conversation__worker=worker_id).delete()
    Conversation.objects.filter(worker=worker_id).delete()
    return notices + posts
