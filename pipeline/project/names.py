"""Names that a project cannot have, because they are addresses of the service: /work/language/ is a page."""

from collections.abc import Iterable
from functools import lru_cache

from django.conf import settings
from django.urls import get_urlconf

from runtime.routes import routes

OF_PROJECTS = ("{name}", "{project}")
"""The parts of routes where the name of a project stands."""


def is_address(name: str) -> bool:
    """Tell whether the service has pages at this name: at its top, or beside those of projects."""
    return name in _addresses(get_urlconf() or settings.ROOT_URLCONF)


def addresses_in(paths: Iterable[str]) -> frozenset[str]:
    """Return the first parts of these routes, and the parts that stand where other routes have a project's name."""
    parts = [path.strip("/").split("/") for path in paths]
    places = {tuple(path[:place]) for path in parts for place, part in enumerate(path) if part in OF_PROJECTS}
    found = {part[place] for part in parts for place in range(len(part)) if not place or tuple(part[:place]) in places}
    return frozenset(part for part in found if part and "{" not in part)


@lru_cache(maxsize=2)
def _addresses(configuration: str) -> frozenset[str]:
    return addresses_in(path for path, _ in routes())
