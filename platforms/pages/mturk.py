"""The page in Mechanical Turk's frame: a preview, or the page for answering questions. It sets and reads no cookie."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET

from platforms.errors import OpenedElsewhereError, UnknownVisitorError
from platforms.models import Offer, Session
from platforms.mturk import NAME, OFF, THEIRS, is_aws, origin
from platforms.pages.work_page import offer_shown, work_page
from platforms.sessions import open_session
from runtime import clock
from workers.address_of import address_of

ID, WORKER = re.compile(r"[A-Z0-9]{1,64}"), re.compile(r"A[A-Z0-9]{1,63}")
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
STRANGER = gettext_noop("This page opens from Mechanical Turk only: begin there.")
ELSEWHERE = gettext_noop("This page was opened for another HIT. Go back to Mechanical Turk and open it from there.")
OVER = gettext_noop("This HIT has ended. There may be others on Mechanical Turk.")
NOT_YET = gettext_noop("This HIT is being set up. Reload this page in a minute: your place is kept.")
GONE = 410
TITLES = {GONE: gettext_noop("This HIT is over"), 503: gettext_noop("One moment")}
AGAIN_SECONDS = 60
View = Callable[[HttpRequest, str], HttpResponseBase]


# --- The page ---


def framed(view: View) -> View:
    """Let only Mechanical Turk's site frame the page and receive its form."""

    @wraps(view)
    def inner(request: HttpRequest, key: str) -> HttpResponseBase:
        sites = list(settings.MTURK_SITES)
        ancestors = [*sites, THEIRS] if is_aws(settings.MTURK_ENDPOINT_URL) else sites
        policy = {"frame-ancestors": ancestors or [SELF], "form-action": [SELF, *sites]}
        response = csp_replace(policy)(lambda request: view(request, key))(request)
        # The address holds the worker's ids, so only the origin is sent: Mechanical Turk may check who posts the form.
        response["Referrer-Policy"] = "strict-origin"
        return response

    return xframe_options_exempt(inner)


@never_cache
@framed
@require_GET
def mturk_work(request: HttpRequest, key: str) -> HttpResponse:
    try:
        return _render(request, _offer(key), MturkVisit.read(request.GET))
    except VisitError as error:
        return _refused(request, str(error), error.status)
    except OpenedElsewhereError as error:
        return _refused(request, str(error), 403)
    except UnknownVisitorError as error:
        return _refused(request, str(error), GONE)


def _render(request: HttpRequest, offer: Offer, visit: "MturkVisit") -> HttpResponse:
    now = clock.now()
    if visit.is_preview:
        check_preview(offer, now)
        return render(request, "platforms/preview.html", offer_shown(offer))
    site = visit.site(settings.MTURK_SITES)
    check_mturk_visit(visit, offer, now)
    session = open_session(
        offer=offer, external_worker=visit.worker, external_id=visit.assignment, visitor=visitor_of(request)
    )
    return render(request, "platforms/work.html", _context(offer, session, site))


def _offer(key: str) -> Offer:
    found = Offer.objects.filter(platform=NAME, key=key).first() if settings.MTURK != OFF else None
    if found is None:
        raise VisitError(STRANGER, 404)
    return found


def _context(offer: Offer, session: Session, site: str) -> dict[str, Any]:
    # Mechanical Turk accepts a form only if it holds a field besides the assignment's id.
    fields = {"assignmentId": session.external_id, "receipt": str(session.id)}
    return work_page(offer, session, finish_url=f"{site}/mturk/externalSubmit", finish_fields=fields)


def _refused(request: HttpRequest, message: str, status: int) -> HttpResponse:
    title = TITLES.get(status, gettext_noop("This page does not open"))
    context = {"title": gettext(title), "message": gettext(message)}
    answer = render(request, "platforms/closed.html", context, status=status)
    if status == 503:
        answer["Retry-After"] = str(AGAIN_SECONDS)
    return answer


# --- The visit ---


class VisitError(UnknownVisitorError):
    """The visit does not fit the offer. `status`: the HTTP status of the answer."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class MturkVisit:
    """The parameters of the address. Mechanical Turk does not sign them, so anyone may have written them."""

    assignment: str
    hit: str
    worker: str
    submit_to: str

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "MturkVisit":
        return cls(*(parameters.get(name, "") for name in ("assignmentId", "hitId", "workerId", "turkSubmitTo")))

    @property
    def is_preview(self) -> bool:
        return self.assignment in ("", NOT_ACCEPTED)

    def site(self, sites: Sequence[str]) -> str:
        """Return the site that receives the form; Mechanical Turk does not always name it.

        Raises VisitError if the address names another site.
        """
        if not self.submit_to:
            return sites[0]
        named = origin(self.submit_to)
        if named not in sites or self.submit_to not in (named, f"{named}/"):
            raise VisitError(STRANGER, 403)
        return named


def check_mturk_visit(visit: MturkVisit, offer: Offer, now: datetime) -> None:
    """Raise VisitError if Mechanical Turk cannot have sent this visit to this offer.

    Pay does not depend on this: only sessions that Mechanical Turk lists are paid.
    """
    if not (ID.fullmatch(visit.assignment) and ID.fullmatch(visit.hit) and WORKER.fullmatch(visit.worker)):
        raise VisitError(STRANGER, 400)
    if not offer.external_id:
        # The answer to the call that made the HIT was lost; the next round finds its id.
        raise VisitError(NOT_YET, 503)
    if visit.hit != offer.external_id:
        raise VisitError(ELSEWHERE, 403)
    # A HIT that was accepted in the last moment may be worked on for its whole time.
    if offer.expires_at + timedelta(seconds=offer.seconds) <= now:
        raise VisitError(OVER, GONE)


def visitor_of(request: HttpRequest) -> str:
    """Return a digest of the caller's network and browser, by which a reload is known.

    The frame of another site has no cookie, and often no storage, so nothing better is left.
    """
    caller = f"{address_of(request)}\n{request.headers.get('User-Agent', '')}"
    return salted_hmac("platforms.visitor", caller, algorithm="sha256").hexdigest()


def check_preview(offer: Offer, now: datetime) -> None:
    """Raise VisitError if the offer has ended."""
    if offer.state in (Offer.State.ENDING, Offer.State.ENDED) or offer.expires_at <= now:
        raise VisitError(OVER, GONE)
