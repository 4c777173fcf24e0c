"""Jobs: keep up with the platforms. Each is safe to run twice, late, or in two runners at once."""

import logging

from django.core.cache import cache
from django.utils import timezone

from pipeline.jobs import job
from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.models import Offer, Recruitment
from platforms.registry import find_platform, set_up
from platforms.sync import Round, settle, sync

logger = logging.getLogger(__name__)
HINT_SECONDS = 10
SYNC_LOCK_SECONDS = 600
"""A round that is under way is not begun again; one that was cut off is, after this."""


@job(name="platforms.sync")
def sync_job(platform: str = "", project_id: int | None = None) -> None:
    """A round with every platform on which a project recruits or did, or with the one."""
    cache.delete(_hinted(platform))
    rows = Recruitment.objects.order_by("id")
    if platform:
        rows = rows.filter(platform=platform)
    if project_id is not None:
        rows = rows.filter(project_id=project_id)
    failed = []
    for recruitment in rows:
        try:
            _round(recruitment)
        except Exception as error:  # a fault in one round keeps nobody else from being paid
            logger.exception("%s: the round broke off", recruitment)
            failed.append(error)
    if failed:
        raise failed[0]


@job(name="platforms.settle")
def settle_job(platform: str, project_id: int) -> None:
    """Settle what is due, whether or not the terms say that it is done by itself."""
    this = Round()
    settle(find_platform(platform), project_id, this, now=timezone.now())
    for failure in this.failures:
        logger.warning("%s", failure)


@job(name="platforms.hear")
def hear_job() -> None:
    """Ask platforms that queue their news for them, and look where something happened. Nothing rests on it."""
    for platform in set_up():
        try:
            named = {event.offer_external_id for event in platform.events()}
        except PlatformError as error:
            logger.warning("%s: no news could be had: %s", platform.name, error)
            continue
        offers = Offer.objects.filter(platform=platform.name, external_id__in=named)
        for project in offers.order_by().values_list("project_id", flat=True).distinct():
            sync_job.delay(platform.name, project)


def hint_look(platform: str) -> None:
    """Something happened there: look soon. One job that has not begun yet is enough for many hints."""
    if cache.add(_hinted(platform), True, HINT_SECONDS):
        sync_job.delay(platform)


def _hinted(platform: str) -> str:
    return f"hinted:platform:{platform}"


def _round(recruitment: Recruitment) -> None:
    mark = f"sync:{recruitment.id}"
    if not cache.add(mark, True, SYNC_LOCK_SECONDS):
        return
    try:
        for failure in sync(find_platform(recruitment.platform), recruitment).failures:
            logger.warning("%s: %s", recruitment, failure)
    except PlatformOffError:
        return  # it was switched off: what is open there stays as it is
    finally:
        cache.delete(mark)
