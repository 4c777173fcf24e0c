"""Where a participant arrives from Prolific. No cookie is set or read: the page speaks to the API with a token."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from platforms.contract.errors import PlatformError, UnknownVisitorError
from platforms.models import Offer
from platforms.pages.prolific_visit import Visit, check_visit
from platforms.pages.work_page import work_page
from platforms.prolific import NAME
from platforms.prolific.fields import allowed_minutes, code_of
from platforms.prolific.platform import from_settings
from platforms.sessions.open_session import open_session

AGAIN_SECONDS = 15
AGAIN = "Prolific does not answer at the moment. Your place is kept, and this page tries again by itself."


@never_cache
@require_GET
def work(request: HttpRequest, key: str) -> HttpResponse:
    offer = get_object_or_404(Offer, platform=NAME, key=key)
    visit = Visit(*(request.GET.get(name, "") for name in ("pid", "study", "session")))
    try:
        check_visit(from_settings().hasty().client, offer, visit)
        session = open_session(
            offer=offer,
            external_worker=visit.participant,
            external_id=visit.submission,
            seconds=60 * allowed_minutes(offer),
        )
    except UnknownVisitorError as error:
        return _closed(request, "This place is not open", str(error), 403)
    except PlatformError:
        answer = _closed(request, "One moment", AGAIN, 503)
        answer["Retry-After"] = answer["Refresh"] = str(AGAIN_SECONDS)
        return answer
    finish = f"{settings.PROLIFIC_SITE}/submissions/complete?cc={code_of(offer)}"
    return render(request, "platforms/work.html", work_page(offer, session, finish_url=finish, finish_fields={}))


def _closed(request: HttpRequest, title: str, message: str, status: int) -> HttpResponse:
    return render(request, "platforms/closed.html", {"title": title, "message": message}, status=status)
