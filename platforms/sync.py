"""One round with a platform: read it, settle sessions, adjust the offers. Safe to run at any time, and repeatedly."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from platforms.contract import Platform, RecruitmentTerms
from platforms.errors import GIVEN_UP, Patience, PlatformError
from platforms.models import Recruitment
from platforms.offers.adjust_offers import adjust_offers
from platforms.offers.read_offers import Failure, read_offers
from platforms.offers.send_offers import send_offers
from platforms.sessions import screen_workers
from platforms.settling.plan_payments import plan_payments
from platforms.settling.send_payments import send_payments
from runtime import clock


@dataclass(slots=True)
class Round:
    """The failures of a round, which the next round tries again, and its patience."""

    failures: list[Failure] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)

    def step(self, what: str, do: Callable[[], object]) -> None:
        """Run one step, and note its failure; skipped once the round has given up on the platform."""
        if self.patience.is_exhausted:
            return
        try:
            do()
            self.patience.note_call()
        except PlatformError as error:
            self.patience.note_call(error)
            self.failures.append(Failure(what, error))


def sync(
    platform: Platform,
    recruitment: Recruitment,
    *,
    everything: bool = False,
    now: datetime | None = None,
) -> Round:
    """Run one round. Each step works without the ones before it: after a failure the next round goes on from the rows.

    `everything`: read every offer that was ever made.
    """
    now = now or clock.now()
    project, this = recruitment.project_id, Round()
    terms = RecruitmentTerms(**recruitment.terms)
    this.failures += read_offers(platform, project, everything=everything, now=now, patience=this.patience)
    if terms.pays_itself:
        settle(platform, project, this, now=now)
    this.step("reporting test results", lambda: screen_workers(platform, project))
    this.step("adjusting the offers to the open work", lambda: adjust_offers(platform, recruitment, now=now))
    this.failures += send_offers(platform, project, this.patience)
    if this.patience.is_exhausted:
        this.failures.append(Failure(platform.name, PlatformError(GIVEN_UP)))
    else:
        Recruitment.objects.filter(id=recruitment.id).update(looked_at=now)
    return this


def settle(platform: Platform, project_id: int, this: Round, *, now: datetime) -> None:
    """Find out what became of payments without an answer, because that decides what is owed; then plan and send."""
    _send(platform, project_id, this)
    if plan_payments(platform.name, project_id, now):
        _send(platform, project_id, this)


def _send(platform: Platform, project_id: int, this: Round) -> None:
    failed = send_payments(platform, project_id, this.patience)
    this.failures += [Failure(str(payment), error) for payment, error in failed]
