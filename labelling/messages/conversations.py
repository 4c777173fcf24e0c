"""Conversations as both sides read them."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from labelling.models import Conversation, OutgoingMail, Post
from runtime import clock
from workers.models import Message

MAX_CONVERSATIONS = 200
"""Conversations that a list shows, the newest first."""


def conversations_of(worker_id: int, project_id: int) -> QuerySet[Conversation]:
    """Return the worker's conversations about a project, the newest first, with their posts."""
    return _whole(Conversation.objects.filter(worker=worker_id, project=project_id))


def conversations_in(project_id: int, *, waiting: bool) -> QuerySet[Conversation]:
    """Return a project's conversations, the newest first; `waiting`: only those with a message nobody answered."""
    rows = Conversation.objects.filter(project=project_id)
    return _whole(rows.filter(waits_since__isnull=False) if waiting else rows)


def _whole(rows: QuerySet[Conversation]) -> QuerySet[Conversation]:
    return rows.select_related("assignment", "worker").prefetch_related("posts").order_by("-id")[:MAX_CONVERSATIONS]


def as_values(conversation: Conversation) -> dict[str, Any]:
    """Return the conversation as the API sends it to its worker: without the names of those who answered."""
    assignment = conversation.assignment
    return {
        "id": conversation.pk,
        "subject": conversation.subject,
        "task": conversation.task,
        "assignment": str(assignment.token) if assignment else None,
        "waits": conversation.waits_since is not None,
        "posts": [
            {"answer": bool(post.actor), "text": post.text, "at": post.created_at, "read": bool(post.read_at)}
            for post in conversation.posts.all()
        ],
    }


def read_answers(*, conversation_id: int, worker_id: int) -> int:
    """Mark the answers as read. Returns how many were unread; 0 if the conversation is not the worker's."""
    # A subquery: unlike a foreign key, an id takes numbers of any size that an address may hold.
    unread = unread_answers(worker_id).filter(conversation__in=Conversation.objects.filter(id=conversation_id))
    return unread.update(read_at=clock.now())


def unread_answers(worker_id: int) -> QuerySet[Post]:
    """Select the answers that the worker has not read, oldest first."""
    return Post.objects.filter(conversation__worker=worker_id, read_at=None).exclude(actor="").order_by("id")


@transaction.atomic
def forget_messages(worker_id: int) -> int:
    """Delete all texts from and to the worker, with their mail. Returns how many texts there were."""
    OutgoingMail.objects.filter(user__worker=worker_id).delete()
    notices, _ = Message.objects.filter(worker=worker_id).delete()
    posts, _ = Post.objects.filter(conversation__worker=worker_id).delete()
    Conversation.objects.filter(worker=worker_id).delete()
    return notices + posts
