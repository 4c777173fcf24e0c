"""The page to which Prolific sends participants, and the address to which it sends events.

Neither sets or reads a cookie: the script of the page calls the API with a token.
"""

import functools
import re
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urljoin, urlsplit

import jwt
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from jwt.types import Options

from platforms.errors import PlatformError, RefusedError, UnknownVisitorError, UnsureError
from platforms.jobs import request_sync
from platforms.models import Offer, Session
from platforms.pages.work_page import work_page
from platforms.prolific import NAME
from platforms.prolific.client import Client
from platforms.prolific.platform import prolific_platform
from platforms.prolific.submissions import ACTIVE, read_submission, worker_of
from platforms.prolific.web_hooks import hook_secret, is_genuine
from platforms.prolific.wire_format import Study, allowed_minutes, code_of
from platforms.sessions import open_session
from runtime import clock

STRANGER = gettext_noop("This page opens from Prolific only: begin there.")
ISSUER = "https://www.prolific.com"
KEYS = "/.well-known/study/jwks.json"
KEYS_LAST = 24 * 3600
"""Seconds; Prolific asks its clients to read its keys anew once a day."""
COOLDOWN = 30
"""Seconds before an unknown key makes us read the keys again: forgers could name a new one with each request."""
NEEDED = ["iss", "exp", "aud", "sub", "prolific"]


def check_signature(token: str, query: dict[str, str], *, is_back: bool) -> None:
    """Check that Prolific signed these parameters for this service and workspace, within the last two minutes.

    For workspaces that have `is_external_study_url_secure`.
    `query`: the parameters `pid`, `study` and `session`. `is_back`: the session is open, so the page is only loaded
    again, and the signature may be older. Raises UnknownVisitorError; UnsureError if Prolific's keys cannot be read,
    or not yet.
    """
    try:
        key = _keys(settings.PROLIFIC_API_URL).get_signing_key_from_jwt(token)
        # The audience is the whole address: the domain is compared below.
        options: Options = {"require": NEEDED, "verify_aud": False, "verify_exp": not is_back}
        claims = jwt.decode(token, key, algorithms=["RS256"], issuer=ISSUER, options=options)
    except jwt.PyJWKClientError as error:
        raise UnsureError("Prolific's keys cannot be read.", out_of_reach=True) from error
    except jwt.PyJWTError as error:
        raise UnknownVisitorError(STRANGER) from error
    wanted = query | {"workspace_id": settings.PROLIFIC_WORKSPACE}
    same = all(claims["prolific"].get(name) == value for name, value in wanted.items())
    ours = urlsplit(claims["aud"])[:2] == urlsplit(settings.ADDRESS)[:2]
    if not same or not ours or claims["sub"] != query["session"]:
        raise UnknownVisitorError(STRANGER)


@functools.cache
def _keys(api: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(urljoin(api, KEYS), lifespan=KEYS_LAST, timeout=5, cooldown_duration=COOLDOWN)


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
        check_prolific_visit(prolific_platform().for_pages().client, offer, visit)
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
    event = sha256(request.headers.get("X-Event-ID", "").encode() or request.body).hexdigest()
    if cache.add(f"prolific:event:{event}", True, REMEMBERED_SECONDS):
        request_sync(NAME)
    return HttpResponse(status=204)
