"""Answer a worker's message. Mail to the worker is due from then on, where there is an address."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, override

from messaging.errors import NoSuchConversationError
from messaging.models import Conversation, Post
from messaging.write_to_requester import clean_text
from upkeep import clock
from upkeep.mail import mail_is_on, send_mail
from workers.models import Worker
from workers.preferences import Preferences

WAITS = (*(timedelta(minutes=minutes) for minutes in (1, 5, 30)), *(8 * [timedelta(hours=3)]))
"""The time to the next try, after each try that failed; after the last one the mail is given up."""
MOST = 100
"""Mails in one run."""
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
    rows = Conversation.objects.select_related("worker__user")
    conversation = rows.filter(id=conversation_id).first()
    if conversation is None:
        raise NoSuchConversationError
    Conversation.objects.filter(id=conversation_id).update(waits_since=None)
    user = conversation.worker.user
    mail = {"mail": Post.Mail.DUE, "mail_at": now} if user and user.is_active and user.email and mail_is_on() else {}
    return Post.objects.create(conversation=conversation, actor=actor, text=text, created_at=now, **mail)


def deliver_answers() -> int:
    """Send the mail that is due. Returns how many the mail server took.

    Each try is noted before it is made. So two runs send no mail twice; a run that is killed in between is repeated.
    """
    now = clock.now()
    due = Post.objects.filter(mail=Post.Mail.DUE, mail_at__lte=now).select_related(
        "conversation__project", "conversation__worker__user"
    )
    return sum(_deliver(post) for post in due.order_by("mail_at", "id")[:MOST])


def _deliver(post: Post) -> bool:
    now, tries = clock.now(), post.mail_tries
    mine = Post.objects.filter(pk=post.pk, mail=Post.Mail.DUE, mail_tries=tries)
    if tries < len(WAITS):
        taken = mine.update(mail_tries=tries + 1, mail_at=now + WAITS[tries])
    else:
        mine.update(mail=Post.Mail.FAILED)
        return False
    user = post.conversation.worker.user
    if not taken:
        return False
    if user is None or not (user.is_active and user.email):  # the address is gone by now
        Post.objects.filter(pk=post.pk).update(mail=Post.Mail.NONE)
        return False
    with override(language_of(post.conversation.worker)):
        sent = send_mail(user.email, gettext(SUBJECT).format(project=_title(post)), _text(post))
    if sent:
        Post.objects.filter(pk=post.pk, mail=Post.Mail.DUE).update(mail=Post.Mail.SENT, mail_at=clock.now())
    return sent


def language_of(worker: Worker) -> str:
    """Return the language that the worker chose, or else English."""
    chosen = Preferences.from_json(worker.preferences).language
    return chosen if chosen in dict(settings.LANGUAGES) else "en"


def _title(post: Post) -> str:
    project = post.conversation.project
    return project.title or project.name


def _text(post: Post) -> str:
    address = settings.ADDRESS + reverse("labelling:messages", args=[post.conversation.project.name])
    return gettext(TEXT).format(project=_title(post), text=post.text, address=address)
