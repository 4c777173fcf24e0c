"""Tell alerts: begin one where something needs a person now, end it once it is settled, and deliver it.

Whatever is due is a row; a receiver that fails is tried again five times, over almost nine hours.
"""

import json
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.may import Action, may
from annotation.models import Project
from labelling.messages import enqueue_mail, no_mail, write_mail
from labelling.models import OutgoingMail
from projects.alerts.post_hook import HookError, post_hook
from projects.dashboard.needs import Need, needs_of
from projects.models import Alert, AlertChannel, Delivery
from runtime import clock

WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360))
"""The time to the next try, after each try that failed; after the sixth try it is given up."""
MAX_DELIVERIES_PER_RUN = 50
"""Deliveries in one run."""
TEXT = """{words}

Settle it: {address}

Which alerts you get: {alerts}
"""


def begin_alerts(project: Project) -> list[Alert]:
    """Begin and end the project's alerts by what it needs now. Returns those that began."""
    needs = {need.kind.value: need for need in needs_of(project)}
    standing = Alert.objects.filter(project=project, settled_at=None)
    standing.exclude(kind__in=needs).update(settled_at=clock.now())
    known = set(standing.values_list("kind", flat=True))
    begun = [_begin(project, need) for kind, need in needs.items() if kind not in known]
    return [alert for alert in begun if alert is not None]


def _begin(project: Project, need: Need) -> Alert | None:
    """Write the alert and its deliveries together, so that none is forgotten. None: another look was faster."""
    now = clock.now()
    alert = Alert(
        project=project,
        kind=need.kind.value,
        count=need.count,
        words=f"{need.label}: {need.words}"[:300],
        path=need.url[:300],
        began_at=now,
    )
    try:
        with transaction.atomic():
            alert.save(force_insert=True)
            channels = AlertChannel.objects.filter(project=project)
            wanted = [channel for channel in channels if need.kind.value in channel.kinds]
            Delivery.objects.bulk_create(Delivery(alert=alert, channel=channel, due_at=now) for channel in wanted)
    except IntegrityError:
        return None
    return alert


def deliver_alerts() -> int:
    """Send what is due; a mail is written, and sent by its own job. Returns how many were taken.

    Each try is noted before it is made. So two runs send nothing twice; a run that is killed in between is repeated.
    """
    due = Delivery.objects.filter(state=Delivery.State.DUE, due_at__lte=clock.now()).order_by("due_at", "id")
    taken = sum(
        _deliver(delivery)
        for delivery in due.select_related("alert__project", "channel__user")[:MAX_DELIVERIES_PER_RUN]
    )
    enqueue_mail()
    return taken


def message_of(delivery: Delivery) -> dict[str, Any]:
    """Return what a webhook gets."""
    alert = delivery.alert
    return {
        "id": delivery.pk,
        "project": alert.project.name,
        "kind": alert.kind,
        "count": alert.count,
        "words": alert.words,
        "address": settings.ADDRESS + alert.path,
        "began_at": alert.began_at.isoformat(),
    }


def _deliver(delivery: Delivery) -> bool:
    tries = delivery.tries
    mine = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.DUE, tries=tries)
    again = clock.now() + WAITS[min(tries, len(WAITS) - 1)]
    if not mine.update(tries=tries + 1, due_at=again):
        return False  # another run has it
    if delivery.channel.kind == AlertChannel.Kind.HOOK:
        return _note(delivery, _post(delivery))
    with transaction.atomic():  # so that a delivery has one mail
        mail = _write_mail(delivery.alert, delivery.channel)
        return _note(delivery, mail) if isinstance(mail, str) else _note(delivery, "", mail)


def _note(delivery: Delivery, problem: str, mail: OutgoingMail | None = None) -> bool:
    """Note what came of the try. Returns whether the delivery was taken."""
    after = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.DUE)
    if not problem:
        after.update(state=Delivery.State.SENT, sent_at=clock.now(), problem="", mail=mail)
        return True
    last = delivery.tries >= len(WAITS)
    after.update(problem=problem[:500], **({"state": Delivery.State.FAILED} if last else {}))
    return False


def _post(delivery: Delivery) -> str:
    """Send it to the webhook, and return why it was not taken, or ""."""
    try:
        post_hook(delivery.channel.url, delivery.channel.secret, json.dumps(message_of(delivery)).encode())
    except HookError as error:
        return str(error)
    return ""


def _write_mail(alert: Alert, channel: AlertChannel) -> OutgoingMail | str:
    """Write the mail, or return why there is none."""
    user = channel.user
    if user is None or not user.is_active or not user.email:
        return "The member has no e-mail address: set one in the admin."
    if not may(user, Action.MANAGE, alert.project):
        return "The member no longer manages the project."
    base = settings.ADDRESS
    text = TEXT.format(
        words=alert.words, address=base + alert.path, alerts=f"{base}/projects/{alert.project.name}/alerts/"
    )
    name = alert.project.title or alert.project.name
    return write_mail(user, f"{name}: {alert.words}", text) or no_mail()
