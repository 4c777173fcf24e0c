"""Offers before and after an adapter is called, and payments."""

from typing import Any

from django.utils import timezone

from annotation.models import Project
from pipeline.protocol.tasks.task import Task
from platforms.contract import Platform
from platforms.models import Offer, Payment, Session
from tests.support.recruiting import an_offer

TERMS = {"title": "Box quality", "description": "Short questions about pictures."}


def claimed_offer(project: Project, platform: str, **changes: Any) -> Offer:
    """An offer that was stored and claimed for the first time, but not published."""
    task = Task(changes.pop("task", Task.BOX_QUALITY))
    unknown = {"state": Offer.State.PLANNED, "external_id": "", "tries": 1}
    return an_offer(project, task, platform=platform, **{"places": 3, "terms": TERMS} | unknown | changes)


def published(platform: Platform, offer: Offer) -> Offer:
    offer.external_id, offer.state = platform.publish(offer).external_id, Offer.State.OPEN
    offer.save()
    return offer


def ask_again(offer: Offer) -> Offer:
    """Claim the offer once more, as after a failed call."""
    offer.tries += 1
    return offer


def a_payment(session: Session, kind: Payment.Kind, **values: Any) -> Payment:
    """A payment that was sent for the first time just now."""
    now = timezone.now()
    sent = {"state": Payment.State.SENT, "sent_at": now, "created_at": now, "tries": 1}
    return Payment.objects.create(**{"session": session, "kind": kind, **sent} | values)
