"""The language of a response: the reader's choice, or else the browser's, on pages for workers; English elsewhere."""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

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
