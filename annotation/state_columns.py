"""Columns of states: the choices of a field, and the condition that its value is a known state."""

from enum import StrEnum

from django.db.models import Q


def choices(states: type[StrEnum]) -> list[tuple[str, str]]:
    """Return the states as choices of a field."""
    return [(state.value, state.value) for state in states]


def known(field: str, states: type[StrEnum], *, blank: bool = False) -> Q:
    """Return the condition that the field holds one of the states; with `blank`, or nothing."""
    return Q(**{f"{field}__in": [state.value for state in states] + ([""] if blank else [])})
