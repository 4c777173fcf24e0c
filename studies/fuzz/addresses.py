"""Every address of the service, as its URL configuration lists them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Address:
    """A route such as `/projects/{name}/images/{image_id}/`, and the names of its parameters."""

    route: str
    name: str

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.route)

    @property
    def is_api(self) -> bool:
        return self.route.startswith("/api/")

    def filled(self, values: dict[str, str]) -> str:
        """Return the path with these values, which are percent-encoded already."""
        return re.sub(r"{(\w+)}", lambda found: values[found[1]], self.route)


def all_addresses() -> list[Address]:
    found = _below(get_resolver().url_patterns, "/")
    return sorted({*found, Address("/healthz", ""), Address("/readyz", "")}, key=lambda one: (one.route, one.name))


def _below(patterns: Iterable[Any], prefix: str) -> Iterator[Address]:
    for one in patterns:
        route = prefix + _plain(str(one.pattern))
        if isinstance(one, URLResolver):
            yield from _below(one.url_patterns, route)
        elif isinstance(one, URLPattern):
            yield Address(route, one.name or "")


def _plain(pattern: str) -> str:
    """Write a route or a simple regular expression with {names}."""
    if "(?P<" in pattern:
        pattern = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<\1>", pattern)
    return PARAMETER.sub(r"{\1}", pattern.strip("^$"))
