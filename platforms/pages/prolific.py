"""The page to which Prolific sends participants, and the address to which it sends events.

Neither sets or reads a cookie: the script of the page calls the API with a token.
"""

import re
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from platforms.contract.errors import PlatformError, RefusedError, UnknownVisitorError
from platforms.jobs import request_sync
from platforms.models import Offer, Session
from platforms.pages.work_page import work_page
from platforms.prolific import NAME
from platforms.prolific.client import Client
from platforms.prolific.platform import from_settings
from platforms.prolific.signed_address import STRANGER, check_signature
from platforms.prolific.submissions import ACTIVE, read_submission, worker_of
from platforms.prolific.web_hooks import hook_secret, is_genuine
from platforms.prolific.wire_format import Study, allowed_minutes, code_of
from platforms.sessions.open_session import open_session
from runtime import clock

ID = re.compile(r"[0-9A-Za-z]{8,64}")
OVER = gettext_noop("This place was given back, handed in, or its time ran out. You can take another one on Prolific.")
REMEMBERED_SECONDS = 24 * 3600
"""Prolific repeats an event for so long."""
AGAIN_SECONDS = 15
RETRY_MESSAGE = gettext_noop(
    "Prolific does not answer at the moment. Your place is kept, and this page tries again by itself."
)


@never_cache
@require_GET
def prolific_work(request: HttpRequest, key: str) -> HttpResponse:
    offer = get_object_or_404(Offer, platform=NAME, key=key)
    visit = ProlificVisit(*(request.GET.get(name, "") for name in ("pid", "study", "session")))
    try:
        if settings.PROLIFIC_SIGNS_ADDRESSES:
            is_back = Session.objects.filter(offer=offer, external_id=visit.submission).exists()
            check_signature(request.GET.get("prolific_token", ""), visit.query, is_back=is_back)
        check_prolific_visit(from_settings().for_pages().client, offer, visit)
        session = open_session(
            offer=offer,
            external_worker=worker_of(offer, visit.participant, visit.submission),
            external_id=visit.submission,
            seconds=60 * allowed_minutes(offer),
        )
    except UnknownVisitorError as error:
        return _closed(request, gettext_noop("This place is not open"), str(error), 403)
    except PlatformError:
        answer = _closed(request, gettext_noop("One moment"), RETRY_MESSAGE, 503)
        answer["Retry-After"] = answer["Refresh"] = str(AGAIN_SECONDS)
        return answer
    finish = f"{settings.PROLIFIC_SITE}/submissions/complete?cc={code_of(offer)}"
    return render(request, "platforms/work.html", work_page(offer, session, finish_url=finish, finish_fields={}))


@dataclass(frozen=True, slots=True)
class ProlificVisit:
    """The ids in the address. Unless Prolific signs them, anyone may have written them."""

    participant: str
    study: str
    submission: str

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the address, as in PLACEHOLDERS."""
        return {"pid": self.participant, "study": self.study, "session": self.submission}

    @property
    def is_well_formed(self) -> bool:
        return all(ID.fullmatch(text) for text in (self.participant, self.study, self.submission))


def check_prolific_visit(client: Client, offer: Offer, visit: ProlificVisit) -> None:
    """Ask Prolific whether it sent this participant to this offer, and whether they are at work.

    Raises UnknownVisitorError if not, and another PlatformError if Prolific does not answer.
    """
    if not visit.is_well_formed or (offer.external_id and offer.external_id != visit.study):
        raise UnknownVisitorError(STRANGER)
    try:
        shown = read_submission(client, visit.submission)
        # A study can have visitors before we know its id, if the answer to the call that made it was lost.
        known = offer.external_id or client.read(f"/studies/{visit.study}/", Study).internal_name == offer.key
    except RefusedError as refused:
        raise UnknownVisitorError(STRANGER) from refused
    if not known or (shown.participant, shown.study_id) != (visit.participant, visit.study):
        raise UnknownVisitorError(STRANGER)
    if shown.status != ACTIVE:
        raise UnknownVisitorError(OVER)


def _closed(request: HttpRequest, title: str, message: str, status: int) -> HttpResponse:
    context = {"title": gettext(title), "message": gettext(message)}
    return render(request, "platforms/closed.html", context, status=status)


@csrf_exempt
@require_POST
def hook(request: HttpRequest) -> HttpResponse:
    genuine = is_genuine(
        secret=hook_secret(),
        timestamp=request.headers.get("X-Prolific-Request-Timestamp", ""),
        body=request.body,
        signature=request.headers.get("X-Prolific-Request-Signature", ""),
        now=clock.now().timestamp(),
    )
    if not genuine:
        return HttpResponse("This is not signed by Prolific.\n", status=401, content_type="text/plain")
    if cache.add(_cache_key(request.headers.get("X-Event-ID", ""), request.body), True, REMEMBERED_SECONDS):
        request_sync(NAME)
    return HttpResponse(status=204)


def _cache_key(event_id: str, body: bytes) -> str:
    return f"prolific:event:{sha256(event_id.encode() or body).hexdigest()}"
