"""Middleware: encryption, types, compression, stores, contents, plain text and language of every response."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from csp.constants import HEADER, SELF, UNSAFE_INLINE
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, HttpResponseNotAllowed, JsonResponse, QueryDict
from django.middleware.gzip import GZipMiddleware
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers

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


# The admin theme sets inline styles and scripts.
ADMIN = {"script-src": [SELF, UNSAFE_INLINE], "style-src": [SELF, UNSAFE_INLINE]}


class ContentPolicyMiddleware(CSPMiddleware):
    """Adds a Content-Security-Policy header to every response.

    The two policies are written once. A response that a view has marked with a policy of its own is left to django-csp.
    """

    _written: tuple[object, str, str] = (None, "", "")
    """The settings' policy, and its two texts: for pages, and for the admin pages."""

    def policy(self, *, admin: bool) -> str:
        directives = settings.CONTENT_SECURITY_POLICY
        if self._written[0] is not directives:
            self._written = (directives, build_policy(), build_policy(replace=ADMIN))
        _, for_pages, for_admin = self._written
        return for_admin if admin else for_pages

    @cached_property
    def admin_address(self) -> str:
        return reverse("admin:index")

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if settings.DEBUG or any(name.startswith("_csp") for name in vars(response)):
            return super().process_response(request, response)
        if HEADER not in response:
            response[HEADER] = self.policy(admin=request.path_info.startswith(self.admin_address))
        return response


FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class PlainTextMiddleware:
    """Answers 400 to a NUL in an address, in its parameters or in a form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or _has_nul(request.GET):
            raise BadRequest("The address contains a NUL character.")
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> None:
        # Here and not above: the check of the form's own token, which comes before the view, has read the form. A view
        # without that check reads the body itself.
        if getattr(view, "csrf_exempt", False) or request.method != "POST" or request.content_type not in FORMS:
            return
        if _has_nul(request.POST):
            raise BadRequest("The form contains a NUL character.")


def _has_nul(values: QueryDict) -> bool:
    return any("\0" in text for name, several in values.lists() for text in (name, *several))


ENGLISH = frozenset({"admin", "gallery"})
"""Parts whose pages are for requesters and experts."""
WRITTEN = ("text/html", "application/json", "text/plain")
"""Kinds of content with words in them."""


class ReaderLanguageMiddleware:
    """Sets the language for one request and restores it afterwards: jobs may run in the same thread."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with translation.override(translation.get_language_from_request(request)):
            response = self.get_response(request)
            language = translation.get_language() or ""
        if response.headers.get("Content-Type", "").startswith(WRITTEN):
            response.headers.setdefault("Content-Language", language)
            patch_vary_headers(response, ("Accept-Language",))
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Sequence[Any], values: dict[str, Any]
    ) -> None:
        if request.resolver_match and ENGLISH.intersection(request.resolver_match.namespaces):
            translation.activate("en")
