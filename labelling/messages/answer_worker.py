"""Answer a worker's message. Mail to the worker is due from then on, where there is an address."""

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, override

from labelling.messages.errors import NoSuchConversationError
from labelling.messages.outbox import write_mail
from labelling.messages.write_to_requester import clean_text
from labelling.models import Conversation, OutgoingMail, Post
from runtime import clock
from workers.models import Worker
from workers.preferences import Preferences

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
