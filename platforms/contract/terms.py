"""The requester's terms for recruiting on a platform, kept with the recruitment and copied into each offer."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Annotated, Any, Self

from annotated_types import Ge, Le
from pydantic import Field, ValidationError, model_validator
from pydantic.dataclasses import dataclass


class BadTermsError(Exception):
    """A term does not fit. The message says which, and what would."""


@dataclass(frozen=True, slots=True, config={"extra": "forbid"})
class RecruitmentTerms:
    """The terms of a recruitment. By default, a session pays what the project pays for its assignments."""

    title: Annotated[str, Field(max_length=128)] = ""
    """Empty: made of the task's name."""
    description: Annotated[str, Field(max_length=2000)] = ""
    keywords: Annotated[str, Field(max_length=1000)] = "images, captions, boxes, annotation"
    most_places: Annotated[int, Field(ge=1, le=10_000)] = 20
    """Open places of a task at a time, for workers who passed its test."""
    entry_places: Annotated[int, Field(ge=0, le=10_000)] = 9
    """Open places of a task at a time, for newcomers; 0: no newcomers."""
    least: Annotated[int, Field(ge=1, le=100)] = 1
    """Assignments that a session needs."""
    quota: Annotated[int, Field(ge=1, le=1_000)] = 1
    """Assignments that a session may have; pay beyond the reward becomes a bonus."""
    reward_cents: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Reward of an accepted session; 0: what `least` assignments pay."""
    pays_tests: bool = False
    """The reward is paid for a failed test, too."""
    minutes: Annotated[int, Field(ge=5, le=1_440)] = 60
    """Time for a session."""
    days: Annotated[float, Field(ge=0.01, le=365)] = 3.0
    """The time that an offer stays open."""
    approve_hours: Annotated[float, Field(ge=0, le=24 * 20)] = 0.0
    """The time that a session that was handed in waits for its approval."""
    pays_itself: bool = True
    """Sessions are settled as they come in; otherwise by `manage.py pay` alone."""
    approved_least: Annotated[int, Field(ge=0, le=1_000_000)] = 500
    """Mechanical Turk: approved HITs that a newcomer needs [paper 3.3]."""
    approved_percent: Annotated[int, Field(ge=0, le=100)] = 95
    """Mechanical Turk: share of approved HITs that a newcomer needs [paper 3.3]."""
    auto_approve_days: Annotated[float, Field(ge=0, le=30)] = 7.0
    """Mechanical Turk approves a session by itself after so long."""

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, values: Any, build: Callable[[Any], Self]) -> Self:
        try:
            terms = build(values)
        except ValidationError as error:
            raise BadTermsError(_in_words(error)) from None
        if terms.quota < terms.least:
            raise BadTermsError(f"quota is {terms.quota}, less than least, {terms.least}.")
        return terms

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def _limits() -> Iterator[tuple[str, float, float]]:
    for name, field in RecruitmentTerms.__pydantic_fields__.items():  # type: ignore[attr-defined]  # set by the decorator
        match field.metadata:
            case [Ge(ge=int() | float() as low), Le(le=int() | float() as high)]:
                yield name, low, high


LIMITS = tuple(_limits())
"""Name, least and greatest value of each number."""


def _in_words(error: ValidationError) -> str:
    first = error.errors()[0]
    name, value = str(first["loc"][0]), first["input"]
    for limited, low, high in LIMITS:
        if name == limited and first["type"] in ("greater_than_equal", "less_than_equal"):
            return f"{name} is {value:g}: it goes from {low:g} to {high:g}."
    if first["type"] == "string_too_long":
        return "The title has up to 128 characters, the description 2,000, the keywords 1,000."
    return f"{name} is {value!r}: {first['msg']}."
