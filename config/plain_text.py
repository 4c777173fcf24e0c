"""Refuse requests with a NUL character: PostgreSQL stores no such text, and nobody types one."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, QueryDict

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
