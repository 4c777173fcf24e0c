"""Begin an alert where something needs a person now, and end it once it is settled."""

from django.db import IntegrityError, transaction

from annotation.models import Project
from campaign.dashboard.needs import Need, needs_of
from campaign.models import Alert, AlertChannel, Delivery
from upkeep import clock


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
            wanted = [one for one in channels if need.kind.value in one.kinds]
            Delivery.objects.bulk_create(Delivery(alert=alert, channel=one, due_at=now) for one in wanted)
    except IntegrityError:
        return None
    return alert
