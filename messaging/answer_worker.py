"""Answer a worker's message. Mail to the worker is due from then on, where there is an address."""

from django.db import transaction

from messaging.errors import NoSuchConversationError
from messaging.models import Conversation, Post
from messaging.write_to_requester import clean_text
from upkeep import clock
from upkeep.mail import mail_is_on


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
