"""Jobs that keep up with the platforms. Each is safe to run twice, late, or in two runners at once."""

import logging

from django.core.cache import cache
from django.utils import timezone

from pipeline.jobs import job
from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.models import Offer, Recruitment
from platforms.registry import find_platform, platforms_set_up
from platforms.sync import Round, settle, sync

logger = logging.getLogger(__name__)
REQUEST_SECONDS = 10
"""Requests for a round within so long make one job."""
SYNC_LOCK_SECONDS = 600
"""A second round does not start while one runs, but so long after one that was killed."""


@job(name="platforms.sync")
def sync_job(platform: str = "", project_id: int | None = None) -> None:
    """Run a round for every recruitment, stopped ones too, or for those of one platform or project."""
    cache.delete(_requested(platform))
    rows = Recruitment.objects.order_by("id")
    if platform:
        rows = rows.filter(platform=platform)
    if project_id is not None:
        rows = rows.filter(project_id=project_id)
    failed = []
    for recruitment in rows:
        try:
            _round(recruitment)
        except Exception as error:  # a fault in one round must not keep other workers from being paid
            logger.exception("%s: the round broke off", recruitment)
            failed.append(error)
    if failed:
        raise failed[0]


@job(name="platforms.settle")
def settle_job(platform: str, project_id: int) -> None:
    """Settle what is due, even if the terms say that this is done by hand."""
    this = Round()
    settle(find_platform(platform), project_id, this, now=timezone.now())
    for failure in this.failures:
        logger.warning("%s", failure)


@job(name="platforms.hear")
def hear_job() -> None:
    """Ask the platforms for events, and request a round where something happened. Rounds come without events, too."""
    for platform in platforms_set_up():
        try:
            named = {event.offer_external_id for event in platform.events()}
        except PlatformError as error:
            logger.warning("%s: its events could not be read: %s", platform.name, error)
            continue
        offers = Offer.objects.filter(platform=platform.name, external_id__in=named)
        for project in offers.order_by().values_list("project_id", flat=True).distinct():
            sync_job.delay(platform.name, project)


def request_sync(platform: str) -> None:
    """Request a round soon, because something happened on the platform. One waiting job serves many requests."""
    if cache.add(_requested(platform), True, REQUEST_SECONDS):
        sync_job.delay(platform)


def _requested(platform: str) -> str:
    return f"requested:platform:{platform}"


def _round(recruitment: Recruitment) -> None:
    lock = f"sync:{recruitment.id}"
    if not cache.add(lock, True, SYNC_LOCK_SECONDS):
        return
    try:
        for failure in sync(find_platform(recruitment.platform), recruitment).failures:
            logger.warning("%s: %s", recruitment, failure)
    except PlatformOffError:
        return  # the platform was switched off: what is open there stays as it is
    finally:
        cache.delete(lock)
