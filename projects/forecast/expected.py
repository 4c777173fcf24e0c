"""Workers who are expected: those who have access, and the places of open invitations."""

from typing import NamedTuple

from annotation.models import Project
from platforms.models import Recruitment
from projects.lifecycle.new_workers import NEW_WORKER_STATES
from simulation.crowd import WORKERS
from workers.invitations import open_invitations
from workers.models import Access, TrustStatus, Worker
from workers.rules.trust_states import TrustState

NEWCOMERS = 20
"""Workers who are assumed where nobody is invited."""
NOT_ADMITTED = (TrustState.SUSPENDED.value, TrustState.BARRED.value)


class Expected(NamedTuple):
    """Workers who will work, as far as one can know before they come."""

    trusted: int
    """Workers who are trusted, and places of invitations that trust people at once."""
    new_workers: int
    """Workers who have yet to pass the test or probation, and places of other invitations."""
    unlimited: bool
    """Anybody may come besides: by an invitation without a limit, or from a platform."""

    @property
    def workers(self) -> int:
        return self.trusted + self.new_workers

    @property
    def words(self) -> str:
        if not self.workers:
            return (
                "Anybody may join: say how many you expect."
                if self.unlimited
                else "Nobody is invited yet: say how many you expect."
            )
        named = [(self.trusted, "trusted"), (self.new_workers, "new")]
        said = " and ".join(f"{number} {word}" for number, word in named if number)
        more = " Others may join, too: add those whom you expect." if self.unlimited else ""
        return f"Invited or at work: {said}.{more}"


def expected(project: Project) -> Expected:
    """Count the people who work for the project, and the places that invitations still have."""
    workers = _workers(project)
    places = {True: 0, False: 0}
    usable = open_invitations(project.pk)
    for trusted, most, joined in usable.exclude(most=None).values_list("trusted", "most", "joined"):
        places[trusted] += (most or 0) - joined
    recruits = Recruitment.objects.filter(project=project, active=True).exists()
    return Expected(
        trusted=workers[True] + places[True],
        new_workers=workers[False] + places[False],
        unlimited=recruits or usable.filter(most=None).exists(),
    )


def who_works(project: Project, workers: int | None = None, trusted: int | None = None) -> dict[str, int]:
    """Return the workers whom a prediction assumes: those named, or else those invited, or else newcomers."""
    if workers is not None:
        return {"workers": workers, "trusted": trusted or 0}
    found = expected(project)
    workers, invited = (min(found.workers, WORKERS), found.trusted) if found.workers else (NEWCOMERS, 0)
    return {"workers": workers, "trusted": min(invited if trusted is None else trusted, workers)}


def _workers(project: Project) -> dict[bool, int]:
    """Count people by whether they are trusted on every task that they may work on. Who is barred is left out."""
    people = Access.objects.filter(project=project, worker__kind=Worker.Kind.PERSON, worker__closed_at=None)
    states: dict[int, set[str]] = {worker: set() for worker in people.values_list("worker", flat=True)}
    for worker, state in TrustStatus.objects.filter(project=project, worker__in=states).values_list("worker", "state"):
        states[worker].add(state)
    able = [found for found in states.values() if not found or not found <= set(NOT_ADMITTED)]
    new = sum(bool(found & set(NEW_WORKER_STATES)) for found in able)
    return {True: len(able) - new, False: new}
