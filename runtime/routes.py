"""The routes of the service, as its URL configuration lists them."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def routes() -> Iterator[tuple[str, str]]:
    """Yield each route, such as `/projects/{name}/images/{image_id}/`, with the name of its pattern."""
    yield from _below(get_resolver().url_patterns, "/")


def _below(patterns: Iterable[Any], prefix: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        route = prefix + _plain(str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from _below(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route, pattern.name or ""


def _plain(pattern: str) -> str:
    """Write a route or a simple regular expression with {names}."""
    if "(?P<" in pattern:
        pattern = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<\1>", pattern)
    return PARAMETER.sub(r"{\1}", pattern.strip("^$"))
