"""Conversations of workers and requesters: begun or continued by a worker, answered, and read by both.

Mail to the worker is due from the answer on, where there is an address.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, override

from labelling.messages.outbox import write_mail
from labelling.models import LENGTH, Conversation, OutgoingMail, Post
from pipeline.errors import PipelineError
from pipeline.models import Assignment
from pipeline.money.ledger import refused_of
from pipeline.protocol.tasks.task import Task
from runtime import clock
from workers.models import Access, Message, Worker
from workers.preferences import Preferences


class BadMessageError(PipelineError):
    message = gettext_noop("Write a message of 1 to 2,000 characters.")


class NoSuchConversationError(PipelineError):
    message = gettext_noop("There is no such project, assignment or conversation, or you have no part in it.")


class TooManyMessagesError(PipelineError):
    message = gettext_noop(
        "You have written many messages. Wait an hour, then write again; everything you wrote has arrived."
    )


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


SUBJECT = gettext_noop("An answer from {project}")
TEXT = gettext_noop("""The requester of "{project}" has answered you:

{text}

Read the whole conversation, and reply: {address}
""")


@transaction.atomic
def answer_worker(*, conversation_id: int, text: str, actor: str) -> Post:
    """Store the answer; nothing waits in the conversation any more. Who may answer is checked by the caller.

    Raises BadMessageError or NoSuchConversationError; nothing is stored then.
    """
    text, now = clean_text(text), clock.now()
    rows = Conversation.objects.select_related("project", "worker__user")
    conversation = rows.filter(id=conversation_id).first()
    if conversation is None:
        raise NoSuchConversationError
    Conversation.objects.filter(id=conversation_id).update(waits_since=None)
    mail = _write_mail(conversation, text)
    return Post.objects.create(conversation=conversation, actor=actor, text=text, created_at=now, mail=mail)


def _write_mail(conversation: Conversation, text: str) -> OutgoingMail | None:
    """Write the mail with the answer, in the worker's language. None: the worker is reached on the page alone."""
    user, project = conversation.worker.user, conversation.project
    if user is None:
        return None
    title = project.title or project.name
    address = settings.ADDRESS + reverse("labelling:messages", args=[project.name])
    with override(language_of(conversation.worker)):
        words = gettext(TEXT).format(project=title, text=text, address=address)
        return write_mail(user, gettext(SUBJECT).format(project=title), words)


def language_of(worker: Worker) -> str:
    """Return the language that the worker chose, or else English."""
    chosen = Preferences.from_json(worker.preferences).language
    return chosen if chosen in dict(settings.LANGUAGES) else "en"
