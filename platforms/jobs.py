"""Jobs that keep up with the platforms. Each is safe to run twice, late, or in two runners at once."""

import logging

from django.conf import settings
from django.core.cache import cache

from pipeline.jobs import job
from platforms.errors import PlatformError, PlatformOffError
from platforms.models import Offer, Recruitment
from platforms.registry import find_platform, platforms_set_up
from platforms.settling.send_payments import send_payments
from platforms.sync import sync
from runtime.models import JobRun
from runtime.redis_faults import start
from runtime.runs import claimed, debounced, request

logger = logging.getLogger(__name__)
REQUEST_SECONDS = 10
"""Requests for a round within so long make one job."""


@job(name="platforms.sync")
def sync_job(platform: str = "", project_id: int | None = None, offers: str = "live") -> None:
    """Run a round for every recruitment, stopped ones too, or for those of one platform or project.

    `offers`: “all” reads every offer that was ever made, and not only those that may change.
    """
    if platform or project_id is not None:
        _sync(platform, project_id, offers)
        return
    with debounced("platforms.sync", every=settings.SYNC_SECONDS) as due:
        if due:
            _sync("", project_id)


def _sync(platform: str, project_id: int | None, offers: str = "live") -> None:
    cache.delete(_requested(platform))
    rows = Recruitment.objects.order_by("id")
    if platform:
        rows = rows.filter(platform=platform)
    if project_id is not None:
        rows = rows.filter(project_id=project_id)
    failed = []
    for recruitment in rows:
        try:
            _round(recruitment, offers)
        except Exception as error:  # a fault in one round must not keep other workers from being paid
            logger.exception("%s: the round broke off", recruitment)
            failed.append(error)
    if failed:
        raise failed[0]


@job(name="platforms.settle")
def settle_job(platform: str, project_id: int) -> None:
    """Send the payments that are planned, or were sent without an answer."""
    with claimed(_settling(platform, project_id)) as mine:
        failed = send_payments(find_platform(platform), project_id) if mine else []
    for payment, error in failed:
        logger.warning("%s: %s", payment, error)


@job(name="platforms.hear")
def poll_events_job() -> None:
    """Ask the platforms for events, and request a round where something happened. Rounds come without events, too."""
    with debounced("platforms.hear", every=settings.HEAR_SECONDS) as due:
        if due:
            _poll_events()


def _poll_events() -> None:
    for platform in platforms_set_up():
        try:
            named = {event.offer_external_id for event in platform.events()}
        except PlatformError as error:
            logger.warning("%s: its events could not be read: %s", platform.name, error)
            continue
        offers = Offer.objects.filter(platform=platform.name, external_id__in=named)
        for project in offers.order_by().values_list("project_id", flat=True).distinct():
            start(sync_job, platform.name, project)


def request_sync(platform: str) -> None:
    """Request a round soon, because something happened on the platform. One waiting job serves many requests."""
    if cache.add(_requested(platform), True, REQUEST_SECONDS):
        start(sync_job, platform)


def request_settling(platform: str, project_id: int) -> bool:
    """Request that planned payments are sent. Returns False if this waits, because Redis does not answer."""
    run = request(settle_job, platform, project_id, key=_settling(platform, project_id))
    return run.state != JobRun.State.WAITING or run.sent_at is not None


def _settling(platform: str, project_id: int) -> str:
    return f"settle:{platform}:{project_id}"


def _requested(platform: str) -> str:
    return f"requested:platform:{platform}"


def _round(recruitment: Recruitment, offers: str) -> None:
    """Run a round, unless another process runs one."""
    with claimed(f"sync:{recruitment.id}") as mine:
        if not mine:
            return
        try:
            failures = sync(find_platform(recruitment.platform), recruitment, everything=offers == "all").failures
        except PlatformOffError:
            return  # the platform was switched off: what is open there stays as it is
        for failure in failures:
            logger.warning("%s: %s", recruitment, failure)
