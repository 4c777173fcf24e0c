"""Headers and refusals that keep what is secret off the wire and out of browsers' stores."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, HttpResponseNotAllowed, JsonResponse
from django.middleware.gzip import GZipMiddleware

FOR_PROGRAMS = ("/api/", "/platforms/prolific/hook/")
"""Addresses that programs call. A redirect would hide that a program sends its key unencrypted each time."""
ANSWERED = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
UNENCRYPTED = (
    "This address answers to https alone. If the call had a key or a token, it was sent unencrypted: revoke it, and "
    "make another."
)


class EveryResponseMiddleware:
    """Refuses TRACE, and lets no browser guess the type or the letters of a response, of monitors' pages, too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method == "TRACE":
            return HttpResponseNotAllowed(ANSWERED)
        response = self.get_response(request)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        kind = response.headers.get("Content-Type", "")
        if kind.startswith("text/") and "charset=" not in kind:
            response["Content-Type"] = f"{kind}; charset=utf-8"
        return response


class CompressPagesMiddleware(GZipMiddleware):
    """Compresses pages and replies to programs. Pictures are small as they are, and exports are sent in parts."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        if response.streaming or not kind.startswith(("text/html", "application/json")):
            return response
        return super().process_response(request, response)


class HttpsOnlyMiddleware:
    """Refuses programs that call without encryption where HTTPS is on. Visitors are redirected by Django."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.HTTPS and not request.is_secure() and request.path_info.startswith(FOR_PROGRAMS):
            return JsonResponse({"code": "https_only", "message": UNENCRYPTED}, status=403)
        return self.get_response(request)


class NoStoreMiddleware:
    """Keeps responses to people and programs who are signed in out of every store, unless a view says how to keep one.

    Views say so of pictures, which browsers keep for themselves. Whoever signs out leaves nothing in the browser.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_signed_in = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if is_signed_in and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-store"
        session = response.cookies.get(settings.SESSION_COOKIE_NAME)
        if session is not None and session["max-age"] == 0:  # Django takes the cookie back
            response["Clear-Site-Data"] = '"cache", "storage"'
        return response
