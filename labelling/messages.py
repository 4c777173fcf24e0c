"""Conversations between workers and requesters, and the mail of the service: each mail is a row before it is sent."""

import logging
from datetime import timedelta
from smtplib import SMTPException
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, override

from labelling.models import LENGTH, Conversation, OutgoingMail, Post
from pipeline.errors import PipelineError
from pipeline.jobs import job
from pipeline.models import Assignment
from pipeline.money.ledger import refused_of
from pipeline.protocol.tasks.task import Task
from runtime import clock
from runtime.redis_faults import start
from runtime.runs import debounced
from workers.models import Access, Message, Worker
from workers.preferences import Preferences

WAITS = (*(timedelta(minutes=minutes) for minutes in (1, 5, 30)), *(8 * [timedelta(hours=3)]))
"""The time to the next try, after each try that failed; after the last one the mail is given up."""
MAILS_PER_RUN = 100
FAILURES = (SMTPException, OSError, ValueError)
"""Errors that a mail server, the network, or an invalid address raises."""
MAIL_IS_OFF = gettext_noop("This service sends no mail.")
NOBODY = "The account was closed, or has no address any more."

logger = logging.getLogger(__name__)


def mail_is_on() -> bool:
    """Return whether the service sends mail at all. Pages promise a mail only where it does."""
    return not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")


def no_mail() -> str:
    """Return what every page says where the service sends no mail; empty: it sends mail."""
    return "" if mail_is_on() else gettext(MAIL_IS_OFF)


def write_mail(to: User | str, subject: str, text: str) -> OutgoingMail | None:
    """Write a mail that is due now, to an account's address or to another one.

    Returns None, and writes nothing, where the service sends no mail and where the account is closed or has no address.
    """
    user = to if isinstance(to, User) else None
    if not mail_is_on() or (user is not None and not _is_reached(user)):
        return None
    address = user.email if user else str(to)
    subject = " ".join(subject.split())[: OutgoingMail.SUBJECT_LENGTH]
    return OutgoingMail.objects.create(to=address, user=user, subject=subject, text=text)


def send_due_mail() -> int:
    """Send the mail that is due. Returns how many the mail server took.

    Each try is noted before it is made. So two runs send no mail twice; a run that is killed in between is repeated.
    """
    if not mail_is_on():
        return 0
    due = OutgoingMail.objects.filter(state=OutgoingMail.State.DUE, due_at__lte=clock.now())
    return sum(_send(mail) for mail in due.select_related("user").order_by("due_at", "id")[:MAILS_PER_RUN])


def send_again(mail_id: int) -> bool:
    """Make a mail that waits or was given up due now, with all its tries. Returns False if its text is gone."""
    rows = OutgoingMail.objects.filter(pk=mail_id).exclude(state=OutgoingMail.State.SENT).exclude(text="")
    return rows.update(state=OutgoingMail.State.DUE, due_at=clock.now(), tries=0) == 1


def _send(mail: OutgoingMail) -> bool:
    mine = OutgoingMail.objects.filter(pk=mail.pk, state=OutgoingMail.State.DUE)
    if mail.tries == len(WAITS):
        mine.filter(tries=mail.tries).update(state=OutgoingMail.State.FAILED)
        return False
    if not mine.filter(tries=mail.tries).update(tries=mail.tries + 1, due_at=clock.now() + WAITS[mail.tries]):
        return False  # another run has it
    if mail.user is not None and not _is_reached(mail.user):
        mine.update(state=OutgoingMail.State.FAILED, text="", problem=NOBODY)
        return False
    to = mail.user.email if mail.user else mail.to
    try:
        taken = EmailMessage(mail.subject, mail.text, to=[to]).send() == 1
        problem = "" if taken else "The mail server did not take it."
    except FAILURES as error:
        problem = str(error) or type(error).__name__
    if problem:
        logger.warning("Mail %s was not sent: %s", mail.pk, problem)
        mine.update(problem=problem[: OutgoingMail.PROBLEM_LENGTH])
        return False
    # The text goes: a link that opens an account must not lie in the database.
    mine.update(state=OutgoingMail.State.SENT, to=to, text="", problem="", sent_at=clock.now())
    return True


def _is_reached(user: User) -> bool:
    return bool(user.is_active and user.email)


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
def delete_messages(worker_id: int) -> int:
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


@job(name="labelling.send_mail")
def send_mail_job() -> None:
    """Send the mail that is due."""
    send_due_mail()


@job(name="labelling.send_due_mail")
def send_due_mail_job() -> None:
    """Send the mail that is due, whatever hints have missed."""
    with debounced("labelling.send_due_mail", every=settings.MAIL_SECONDS) as due:
        if due:
            send_due_mail()


def enqueue_mail() -> None:
    """Start a job that sends the mail, after the commit. A message that fails is logged and left to the next tick."""
    if settings.CELERY_TASK_ALWAYS_EAGER:
        return  # a job in place would let the requester wait for the mail server
    transaction.on_commit(lambda: start(send_mail_job), robust=True)
