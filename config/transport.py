"""Headers and refusals that keep what is secret off the wire and out of browsers' stores."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, JsonResponse

FOR_PROGRAMS = ("/api/", "/platforms/prolific/hook/")
"""Addresses that programs call. A redirect would hide that a program sends its key unencrypted each time."""
UNENCRYPTED = (
    "This address answers to https alone. If the call had a key or a token, it was sent unencrypted: revoke it, and "
    "make another."
)


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

    Views say so of pictures, which browsers keep for themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_signed_in = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if is_signed_in and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-store"
        return response
