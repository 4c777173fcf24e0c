"""What a requester decides about recruiting on a platform, kept with the recruitment and copied into each offer."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Self


class BadTermsError(ValueError):
    """A term does not fit; the message says which, and what would."""


@dataclass(frozen=True, slots=True)
class Terms:
    """With the defaults, work is offered at what the project pays for an assignment."""

    title: str = ""
    """Empty: made of the task's name."""
    description: str = ""
    keywords: str = "images, captions, boxes, annotation"
    most_places: int = 20
    """Open places of a task at a time, for people who have passed its test ..."""
    entry_places: int = 9
    """... and for newcomers; 0: nobody new."""
    least: int = 1
    """Assignments that a session needs ..."""
    quota: int = 1
    """... and may have; what is beyond the reward is paid as a bonus."""
    reward_cents: int = 0
    """For a session that is accepted; 0: what `least` assignments pay."""
    pays_tests: bool = False
    """The reward is paid for a test that was not passed, too."""
    minutes: int = 60
    """That a worker has for a session."""
    days: float = 3.0
    """That an offer stays open."""
    approve_hours: float = 0.0
    """A session that was handed in waits so long before it is approved."""
    pays_itself: bool = True
    """Sessions are settled as they come in; otherwise by `manage.py pay` alone."""
    approved_least: int = 500
    """Mechanical Turk, newcomers: approved HITs [paper 3.3] ..."""
    approved_percent: int = 95
    """... and share of theirs that were approved."""
    auto_approve_days: float = 7.0
    """Mechanical Turk: it approves by itself what we have not looked at by then."""

    def __post_init__(self) -> None:
        for name, low, high in LIMITS:
            value = getattr(self, name)
            if not low <= value <= high:
                raise BadTermsError(f"{name} is {value:g}: it goes from {low:g} to {high:g}.")
        if self.quota < self.least:
            raise BadTermsError(f"quota is {self.quota}, less than least, {self.least}.")
        if len(self.title) > 128 or len(self.description) > 2000 or len(self.keywords) > 1000:
            raise BadTermsError("The title has up to 128 characters, the description 2,000, the keywords 1,000.")

    @classmethod
    def read(cls, kept: dict[str, Any]) -> Self:
        """From a row: names that are not known any more are dropped."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in kept.items() if name in known})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


LIMITS: tuple[tuple[str, float, float], ...] = (
    ("most_places", 1, 10_000),
    ("entry_places", 0, 10_000),
    ("least", 1, 100),
    ("quota", 1, 1_000),
    ("reward_cents", 0, 100_000),
    ("minutes", 5, 1_440),
    ("days", 0.01, 365),
    ("approve_hours", 0, 24 * 20),
    ("approved_least", 0, 1_000_000),
    ("approved_percent", 0, 100),
    ("auto_approve_days", 0, 30),
)
