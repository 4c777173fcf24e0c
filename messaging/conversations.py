"""Conversations as both sides read them."""

from typing import Any

from django.db.models import QuerySet

from messaging.models import Conversation

MOST = 200
"""Conversations that a list shows, the newest first."""


def conversations_of(worker_id: int, project_id: int) -> QuerySet[Conversation]:
    """Return the worker's conversations about a project, the newest first, with their posts."""
    return _whole(Conversation.objects.filter(worker=worker_id, project=project_id))


def conversations_in(project_id: int, *, waiting: bool) -> QuerySet[Conversation]:
    """Return a project's conversations, the newest first; `waiting`: only those with a message nobody answered."""
    rows = Conversation.objects.filter(project=project_id)
    return _whole(rows.filter(waits_since__isnull=False) if waiting else rows)


def _whole(rows: QuerySet[Conversation]) -> QuerySet[Conversation]:
    return rows.select_related("assignment", "worker").prefetch_related("posts").order_by("-id")[:MOST]


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
