"""Learned states of projects: what answers have taught, apart from the settings. A row is never edited.

A project's state is what its newest version of the settings points to. What people gave stays beside it: refits pull
towards that, and it comes back if the project forgets what it learned.
"""

from dataclasses import fields
from functools import lru_cache
from typing import Any

from belief.learned import LearnedState
from pipeline.models import Learned as LearnedRow
from pipeline.models import Origin

CACHED_STATES = 128
"""The states that a process keeps: some are hundreds of kilobytes of text."""
NOTHING = LearnedState()


@lru_cache(maxsize=CACHED_STATES)
def learned_of(key: str | None) -> LearnedState:
    """Return a learned state. Kept by its key, which no other row ever has. None: nothing is learned."""
    return LearnedState.from_json(learned_values(key)) if key else NOTHING


def learned_values(key: str | None) -> dict[str, Any]:
    """Return the values of a learned state by name, as they are stored."""
    return LearnedRow.objects.values_list("values", flat=True).get(key=key) if key else {}


def given_in(state: LearnedRow | None) -> LearnedState:
    """Return what people gave of a state: the state that it was fitted from, or the state itself."""
    if state is None or (state.origin == Origin.REFIT and state.base_id is None):
        return NOTHING
    return learned_of(state.base_id or state.key)


def refitted(project_id: int, now: LearnedRow | None, learned: LearnedState) -> LearnedRow:
    """Store what a refit has learned in place of `now`."""
    base = now if now is None or now.origin != Origin.REFIT else now.base
    return _stored(project_id, learned, Origin.REFIT, base)


def given(project_id: int, now: LearnedRow | None, learned: LearnedState, origin: Origin) -> LearnedRow | None:
    """Return the state with these values in force, some of which somebody gave in place of those of `now`.

    A prior that a refit learned, here or in another project, is nothing that was given: a refit that pulled towards it
    would count the same answers once more. `origin`: of the state if it is new.
    """
    before = learned_of(None if now is None else now.key)
    if learned == before:
        return now
    kept = given_in(now)
    own = LearnedState(**{part.name: _given_part(part.name, learned, before, kept) for part in fields(LearnedState)})
    base = now.base if now is not None and now.origin == Origin.REFIT else now
    if own != kept:
        base = None if own == NOTHING else _stored(project_id, own, origin, None)
    return base if learned == own else _stored(project_id, learned, Origin.REFIT, base)


def _given_part(name: str, learned: LearnedState, before: LearnedState, learned_state: LearnedState) -> Any:
    """Return a part of what is given now: that of `learned_state` where nobody changes it, or a refit learned it."""
    part = getattr(learned, name)
    stays = part == getattr(before, name) or bool(getattr(part, "refitted_on", 0))
    return getattr(learned_state if stays else learned, name)


def _stored(project_id: int, learned: LearnedState, origin: Origin, base: LearnedRow | None) -> LearnedRow:
    return LearnedRow.objects.create(project_id=project_id, values=learned.to_json(), origin=origin, base=base)
