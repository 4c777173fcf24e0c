"""Everything by which a worker can be recognised, and how each part of it is forgotten.

Answers, pay and trust stay with the worker's row, which names nobody afterwards. To have more forgotten, add a function
to FORGOTTEN. Each is called in one transaction, while the worker still has the name and the account.
"""

import re
from collections.abc import Callable

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session as Browser
from django.db.models import Q

from labelling.models import SignIn
from messaging import conversations
from pipeline.models import Assignment
from platforms.sessions.forget_identities import forget_identities
from workers.models import Access, ApiKey, TrustChange, Worker
from workers.rules.trust_states import TrustEvent

TEXT_GONE = "The text was deleted at the worker's request."


def name_after(worker: Worker) -> str:
    """Return what the worker's row is called once nobody is behind it."""
    return f"deleted worker {worker.pk}"


def forget_rights(worker: Worker) -> None:
    ApiKey.objects.filter(worker=worker).delete()
    Access.objects.filter(worker=worker).delete()


def forget_drafts(worker: Worker) -> None:
    Assignment.objects.filter(worker=worker).exclude(draft=None).update(draft=None)


def forget_messages(worker: Worker) -> None:
    conversations.forget_messages(worker.pk)


def forget_platforms(worker: Worker) -> None:
    forget_identities(worker.pk)


def forget_appeals(worker: Worker) -> None:
    """Write the worker's appeals anew, without the name and the text: rows of this table cannot be changed."""
    for row in TrustChange.objects.filter(worker=worker, event=TrustEvent.APPEAL.value):
        number = row.pk
        row.delete()
        row.pk, row.actor, row.reason = number, name_after(worker), TEXT_GONE
        row.save(force_insert=True)


def forget_history(worker: Worker) -> None:
    """Replace the name in the admin pages' own history of what staff did to this worker's rows."""
    models = ContentType.objects.filter(app_label__in=["workers", "pipeline", "platforms", "auth"])
    for name in {worker.name, worker.user.get_username() if worker.user else worker.name}:
        word = re.compile(rf"(?<![\w@.+-]){re.escape(name)}(?![\w@.+-])")
        own = Q(object_repr__contains=name) | Q(
            content_type__in=models.filter(model="worker"), object_id=str(worker.pk), change_message__contains=name
        )
        for row in LogEntry.objects.filter(own, content_type__in=models):
            row.object_repr = word.sub(name_after(worker), row.object_repr)[:200]
            if row.object_id == str(worker.pk):
                row.change_message = word.sub(name_after(worker), row.change_message)
            row.save(update_fields=["object_repr", "change_message"])


def forget_account(worker: Worker) -> None:
    """Delete the account, with its name, password and address, and end its sessions."""
    user = worker.user
    if user is None:
        return
    keys = set(SignIn.objects.filter(user=user).values_list("session_key", flat=True))
    for browser in Browser.objects.iterator():
        if browser.get_decoded().get("_auth_user_id") == str(user.pk):
            keys.add(browser.session_key)
    Browser.objects.filter(session_key__in=keys).delete()
    user.delete()
    worker.user = None


FORGOTTEN: list[Callable[[Worker], None]] = [
    forget_rights,
    forget_drafts,
    forget_messages,
    forget_platforms,
    forget_appeals,
    forget_history,
    forget_account,
]
