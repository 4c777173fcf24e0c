"""Write to the requester: a worker begins a conversation, or goes on with one."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from labelling.messages.errors import BadMessageError, NoSuchConversationError, TooManyMessagesError
from labelling.models import LENGTH, Conversation, Post
from pipeline.models import Assignment
from pipeline.money.ledger import refused_of
from pipeline.protocol.tasks.task import Task
from runtime import clock
from workers.models import Access, Worker

MESSAGE_LIMITS = ((timedelta(hours=1), 10), (timedelta(days=1), 30))
"""The most messages that a worker writes in a time."""


@transaction.atomic
def write_to_requester(
    *,
    worker_id: int,
    project_id: int,
    text: str,
    token: UUID | None = None,
    task: str = "",
    conversation_id: int | None = None,
) -> Conversation:
    """Store the message, which then waits for the requester's answer.

    It is about an assignment (`token`), a task, or nothing in particular; or it goes on with a conversation. Raises
    BadMessageError, NoSuchConversationError or TooManyMessagesError; nothing is stored then.
    """
    text = clean_text(text)
    # Locked, so that of simultaneous messages none passes the limit.
    list(Worker.objects.select_for_update(no_key=True).filter(id=worker_id).values_list("id"))
    _check_limit(worker_id)
    now, who = clock.now(), {"worker_id": worker_id, "project_id": project_id}
    if conversation_id is not None:
        found = Conversation.objects.filter(id=conversation_id, **who).first()
    else:
        found = Conversation(**who, **_about(worker_id, project_id, token, task), created_at=now)
    if found is None:
        raise NoSuchConversationError
    found.waits_since = found.waits_since or now
    found.save()
    Post.objects.create(conversation=found, text=text, created_at=now)
    return found


def clean_text(text: str) -> str:
    """Return the text as it is stored. Raises BadMessageError if it is empty, too long, or holds a NUL."""
    text = text.replace("\r\n", "\n").strip()
    if not 0 < len(text) <= LENGTH or "\0" in text:
        raise BadMessageError
    return text


def _check_limit(worker_id: int) -> None:
    own = Post.objects.filter(conversation__worker=worker_id, actor="")
    for time, most in MESSAGE_LIMITS:
        if own.filter(created_at__gt=clock.now() - time).count() >= most:
            raise TooManyMessagesError


def _about(worker_id: int, project_id: int, token: UUID | None, task: str) -> dict[str, Any]:
    """Return what a new conversation is about. Raises NoSuchConversationError if the worker has no part in it."""
    own = Assignment.objects.filter(worker=worker_id, project=project_id)
    if token is not None:
        assignment = own.filter(token=token).first()
        if assignment is None:
            raise NoSuchConversationError
        return {"assignment": assignment, "task": assignment.task, "subject": _subject(assignment)}
    here = own.exists() or Access.objects.filter(worker=worker_id, project=project_id).exists()
    if not here or task not in ("", *Task):
        raise NoSuchConversationError
    subject = Conversation.Subject.STANDING if task else Conversation.Subject.OTHER
    return {"task": task, "subject": subject}


def _subject(assignment: Assignment) -> Conversation.Subject:
    if assignment.kind == Assignment.Kind.TEST:
        return Conversation.Subject.TEST
    refused = refused_of(assignment.worker_id, assignment.project_id).get(assignment.id)
    return Conversation.Subject.REFUSAL if refused else Conversation.Subject.RECEIPT
