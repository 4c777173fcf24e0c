"""What the service frames: a preview, or the page on which questions are answered. No cookie is set or read."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.constants import SELF
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET

from platforms.contract.errors import UnknownVisitorError
from platforms.models import Offer, Session
from platforms.mturk import NAME
from platforms.mturk.modes import OFF, THEIRS, is_aws
from platforms.pages.mturk_visit import STRANGER, Visit, VisitError, check_preview, check_visit
from platforms.pages.work_page import offer_shown, work_page
from platforms.sessions.open_session import open_session

GONE = 410
TITLES = {GONE: "This HIT is over", 503: "One moment"}
AGAIN_SECONDS = 60
View = Callable[[HttpRequest, str], HttpResponse]


def framed(view: View) -> View:
    """The service's site alone may frame the page, and get its form."""

    @wraps(view)
    def inner(request: HttpRequest, key: str) -> HttpResponse:
        response = view(request, key)
        sites = list(settings.MTURK_SITES)
        ancestors = [*sites, THEIRS] if is_aws(settings.MTURK_ENDPOINT_URL) else sites
        policy = {"frame-ancestors": ancestors or [SELF], "form-action": [SELF, *sites]}
        response._csp_replace = policy  # type: ignore[attr-defined]  # django-csp's own mark
        # The address holds the worker's ids. The origin goes along: the service may want to know who posts.
        response["Referrer-Policy"] = "strict-origin"
        return response

    return xframe_options_exempt(inner)


@never_cache
@framed
@require_GET
def work(request: HttpRequest, key: str) -> HttpResponse:
    try:
        return _shown(request, _offer(key), Visit.read(request.GET))
    except VisitError as error:
        return _refused(request, str(error), error.status)
    except UnknownVisitorError as error:
        return _refused(request, str(error), GONE)


def _shown(request: HttpRequest, offer: Offer, visit: Visit) -> HttpResponse:
    now = timezone.now()
    if visit.is_preview:
        check_preview(offer, now)
        return render(request, "platforms/preview.html", offer_shown(offer))
    site = visit.site(settings.MTURK_SITES)
    check_visit(visit, offer, now)
    session = open_session(offer=offer, external_worker=visit.worker, external_id=visit.assignment)
    return render(request, "platforms/work.html", _worked(offer, session, site))


def _offer(key: str) -> Offer:
    found = Offer.objects.filter(platform=NAME, key=key).first() if settings.MTURK != OFF else None
    if found is None:
        raise VisitError(STRANGER, 404)
    return found


def _worked(offer: Offer, session: Session, site: str) -> dict[str, Any]:
    # The service takes no form without a field of one's own.
    fields = {"assignmentId": session.external_id, "receipt": str(session.id)}
    return work_page(offer, session, finish_url=f"{site}/mturk/externalSubmit", finish_fields=fields)


def _refused(request: HttpRequest, message: str, status: int) -> HttpResponse:
    told = {"title": TITLES.get(status, "This page does not open"), "message": message}
    answer = render(request, "platforms/closed.html", told, status=status)
    if status == 503:
        answer["Retry-After"] = str(AGAIN_SECONDS)
    return answer
