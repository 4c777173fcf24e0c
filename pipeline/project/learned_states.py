"""Learned states of projects: what answers have taught, apart from the settings. A row is never edited.

A project's state is what its newest version of the settings points to. What people gave stays beside it: refits pull
towards that, and it comes back if the project forgets what it learned.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pipeline.models import Learned, Origin
from pipeline.policies.engine import NOTHING_LEARNED
from pipeline.settings.settings import Settings

Values = Mapping[str, Any]
"""Learned values by name; a name that is left out has the default."""

KEPT = 128
"""The states that a process keeps: some are hundreds of kilobytes of text."""
NAMES = tuple(NOTHING_LEARNED)
"""The learned values. People can give them, too."""


@lru_cache(maxsize=KEPT)
def learned_values(key: str | None) -> dict[str, Any]:
    """Return the values of a learned state. Kept by its key, which no other row ever has. None: nothing is learned."""
    return Learned.objects.values_list("values", flat=True).get(key=key) if key else {}


def learned_in(settings: Settings) -> dict[str, Any]:
    """Return the learned values in these settings, without those that are the defaults."""
    return {name: value for name in NAMES if (value := getattr(settings, name))}


def given_in(state: Learned | None) -> dict[str, Any]:
    """Return what people gave of a state: the state that it was fitted from, or the state itself."""
    if state is None or (state.origin == Origin.REFIT and state.base_id is None):
        return {}
    return learned_values(state.base_id or state.key)


def refitted(project_id: int, now: Learned | None, values: Values) -> Learned:
    """Store what a refit has learned in place of `now`."""
    base = now if now is None or now.origin != Origin.REFIT else now.base
    return _stored(project_id, values, Origin.REFIT, base)


def given(project_id: int, now: Learned | None, values: Values, origin: Origin) -> Learned | None:
    """Return the state with these values in force, some of which somebody gave in place of those of `now`.

    A prior that a refit learned, here or in another project, is nothing that was given: a refit that pulled towards it
    would count the same answers once more. `origin`: of the state if it is new.
    """
    before = {} if now is None else learned_values(now.key)
    if values == before:
        return now
    kept = given_in(now)
    own: dict[str, Any] = {}
    for name in NAMES:
        stays = values.get(name) == before.get(name) or _is_refitted(values, name)
        if wanted := (kept if stays else values).get(name):
            own[name] = wanted
    base = now.base if now is not None and now.origin == Origin.REFIT else now
    if own != kept:
        base = _stored(project_id, own, origin, None) if own else None
    return base if values == own else _stored(project_id, values, Origin.REFIT, base)


def _is_refitted(values: Values, name: str) -> bool:
    return name in ("link_prior", "box_prior") and bool(values.get(name, {}).get("refitted_on"))


def _stored(project_id: int, values: Values, origin: Origin, base: Learned | None) -> Learned:
    return Learned.objects.create(project_id=project_id, values=values, origin=origin, base=base)
