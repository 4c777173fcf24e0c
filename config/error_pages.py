"""The pages of failures: a request that is refused unread (400), a part that fails (503), an unforeseen error (500)."""

import sys
from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext, gettext_noop
from django.views import defaults

from runtime.faults import Fault, fault_of, log_fault
from runtime.inside_django import leave_unlogged

PLAIN = gettext_noop(
    "Something went wrong here. This was a mistake of the service. Wait a moment, then load the page again."
)
API = "/api/"


class FaultMiddleware:
    """Answers with 503 if a page meets a part of the service that fails, and logs the cause."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        fault = fault_of(error)
        return None if fault is None else _unavailable(request, fault, error)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Return the page of a request that was refused before a view read it; to a program, the reason as JSON."""
    if not request.path.startswith(API):
        return defaults.bad_request(request, exception)
    message = str(exception) if isinstance(exception, BadRequest) else "This request cannot be read."
    return JsonResponse({"code": "invalid", "message": message}, status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page of an error that no page caught: 503 for a part that fails, and 500 otherwise."""
    error = sys.exc_info()[1]
    fault = None if error is None else fault_of(error)
    if error is not None and fault is not None:
        response = _unavailable(request, fault, error)
        leave_unlogged(response)
        return response
    return _page("500.html", {}, f"{gettext(PLAIN)}\n", status=500)


def _unavailable(request: HttpRequest, fault: Fault, error: BaseException) -> HttpResponse:
    log_fault(request.path, fault, error)
    message = gettext(fault.message)
    response: HttpResponse
    if request.path.startswith(API):
        response = JsonResponse({"code": fault.code, "message": message}, status=503)
    else:
        response = _page("503.html", {"message": message}, f"{message}\n", status=503)
    response["Retry-After"] = str(fault.retry_seconds)
    response["Cache-Control"] = "no-store"
    return response


def _page(template: str, context: dict[str, str], plain: str, *, status: int) -> HttpResponse:
    """Return the page. It reads neither session nor account: the database may be what failed.

    Returns plain text if the page cannot be made either, because the front end was not built, for example.
    """
    try:
        return HttpResponse(render_to_string(template, context), status=status)
    except Exception:  # the first error is in the log, and a second one would hide it from the visitor
        return HttpResponse(plain, status=status, content_type="text/plain")
