"""One round with a platform: read it, settle what came in, keep the offers in step. Safe at any time, in any number."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from platforms.contract.errors import PlatformError
from platforms.contract.patience import GIVEN_UP, Patience
from platforms.contract.platform import Platform
from platforms.contract.terms import Terms
from platforms.models import Recruitment
from platforms.offers.keep_offers import keep_offers
from platforms.offers.look_at_offers import Failure, look_at_offers
from platforms.offers.send_offers import send_offers
from platforms.sessions.screen_workers import screen_workers
from platforms.settling.carry_out import carry_out_all
from platforms.settling.plan_payments import plan_payments


@dataclass(slots=True)
class Round:
    """What a round could not do; it is tried again in the next."""

    failures: list[Failure] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)

    def step(self, what: str, do: Callable[[], object]) -> None:
        if self.patience.gone:
            return
        try:
            do()
            self.patience.note()
        except PlatformError as error:
            self.patience.note(error)
            self.failures.append(Failure(what, error))


def sync(
    platform: Platform,
    recruitment: Recruitment,
    *,
    everything: bool = False,
    pays: bool | None = None,
    now: datetime | None = None,
    done: Callable[[int, int], None] = lambda number, of: None,
) -> Round:
    """`everything`: read every offer that was ever made. `pays`: settle sessions; None: as the terms say.

    Each step is right without the ones before it: whatever fails, the next round goes on from the rows.
    """
    now = now or timezone.now()
    project, this = recruitment.project_id, Round()
    terms = Terms.read(recruitment.terms)
    this.failures += look_at_offers(
        platform, project, everything=everything, now=now, patience=this.patience, done=done
    )
    if terms.pays_itself if pays is None else pays:
        settle(platform, project, this, now=now)
    this.step("telling who passed which test", lambda: screen_workers(platform, project))
    this.step("keeping offers in step with the work", lambda: keep_offers(platform, recruitment, now=now))
    this.failures += send_offers(platform, project, this.patience)
    if this.patience.gone:
        this.failures.append(Failure(platform.name, PlatformError(GIVEN_UP)))
    else:
        Recruitment.objects.filter(id=recruitment.id).update(looked_at=now)
    return this


def settle(platform: Platform, project_id: int, this: Round, *, now: datetime) -> None:
    """What was said without an answer first: what became of it decides what is still owed."""
    this.failures += [Failure(str(one), error) for one, error in carry_out_all(platform, project_id, this.patience)]
    if plan_payments(platform.name, project_id, now):
        this.failures += [Failure(str(one), error) for one, error in carry_out_all(platform, project_id, this.patience)]
