"""The requester's terms for recruiting on a platform, kept with the recruitment and copied into each offer."""

from typing import Annotated, Self

from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, ConfigDict, Field, model_validator


class RecruitmentTerms(BaseModel):
    """The terms of a recruitment. By default, a session pays what the project pays for its assignments."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    title: Annotated[str, MaxLen(128)] = ""
    """Workers read this first. Empty: made of the task and the project's title."""
    description: Annotated[str, MaxLen(2000)] = ""
    """Workers read this below. Empty: a standard sentence."""
    keywords: Annotated[str, MaxLen(1000)] = "images, captions, boxes, annotation"
    """Workers of Mechanical Turk search by these."""
    most_places: Annotated[int, Ge(1), Le(10_000), Field(title="Open places")] = 20
    """For each task at a time, for workers who passed its test."""
    entry_places: Annotated[int, Ge(0), Le(10_000), Field(title="Open places for newcomers")] = 9
    """For each task at a time; newcomers begin with the test. 0: no newcomers."""
    least: Annotated[int, Ge(1), Le(100), Field(title="Assignments that a session needs")] = 1
    quota: Annotated[int, Ge(1), Le(1_000), Field(title="Assignments that a session may have")] = 1
    """Earnings beyond the reward are paid as a bonus."""
    reward_cents: Annotated[int, Ge(0), Le(100_000), Field(title="Reward of a session, in cents")] = 0
    """0: the pay of the assignments that it needs."""
    pays_tests: Annotated[bool, Field(title="Pay failed tests")] = False
    """Also pay the reward for a test that was not passed."""
    minutes: Annotated[int, Ge(5), Le(1_440), Field(title="Minutes for a session")] = 60
    """From taking a place to handing in."""
    days: Annotated[float, Ge(0.01), Le(365), Field(title="Days that an offer stays open")] = 3.0
    """Then a new offer follows, while there is work."""
    approve_hours: Annotated[float, Ge(0), Le(24 * 20), Field(title="Hours before a session is approved")] = 0.0
    """Time to look at the work first."""
    pays_itself: Annotated[bool, Field(title="Settle automatically")] = True
    """Otherwise sessions wait until you pay what is due."""
    # The paper's newcomers had 500 approved HITs, and 95 % of their work was approved [paper 3.3].
    approved_least: Annotated[int, Ge(0), Le(1_000_000), Field(title="Approved HITs")] = 500
    """The number that a newcomer needs on Mechanical Turk."""
    approved_percent: Annotated[int, Ge(0), Le(100), Field(title="Approved, in percent")] = 95
    """Share of a newcomer's work on Mechanical Turk that was approved."""
    auto_approve_days: Annotated[float, Ge(0), Le(30), Field(title="Days until it approves automatically")] = 7.0
    """Mechanical Turk then approves what we have not settled."""

    @model_validator(mode="after")
    def _allows_what_it_needs(self) -> Self:
        if self.quota < self.least:
            raise ValueError(f"a session needs {self.least} assignments, so it must be allowed at least as many")
        return self
