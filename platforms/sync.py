"""One round with a platform: read it, settle what came in, keep the offers in step. Safe at any time, in any number."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from platforms.carry_out import carry_out_all
from platforms.errors import PlatformError
from platforms.keep_offers import keep_offers
from platforms.look_at_offers import Trouble, look_at_offers
from platforms.patience import GIVEN_UP, Patience
from platforms.plan_movements import plan_movements
from platforms.platform import Platform
from platforms.say_offers import say_offers
from platforms.screen_workers import screen_workers
from platforms.terms import Terms
from workers.models import Recruitment


@dataclass(slots=True)
class Round:
    """What a round could not do; it is tried again in the next."""

    troubles: list[Trouble] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)

    def step(self, what: str, do: Callable[[], object]) -> None:
        if self.patience.gone:
            return
        try:
            do()
            self.patience.note()
        except PlatformError as error:
            self.patience.note(error)
            self.troubles.append(Trouble(what, error))


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
    this.troubles += look_at_offers(
        platform, project, everything=everything, now=now, patience=this.patience, done=done
    )
    if terms.pays_itself if pays is None else pays:
        settle(platform, project, this, now=now)
    this.step("telling who passed which test", lambda: screen_workers(platform, project))
    this.step("keeping offers in step with the work", lambda: keep_offers(platform, recruitment, now=now))
    this.troubles += say_offers(platform, project, this.patience)
    if this.patience.gone:
        this.troubles.append(Trouble(platform.name, PlatformError(GIVEN_UP)))
    else:
        Recruitment.objects.filter(id=recruitment.id).update(looked_at=now)
    return this


def settle(platform: Platform, project_id: int, this: Round, *, now: datetime) -> None:
    """What was said without an answer first: what became of it decides what is still owed."""
    this.troubles += [Trouble(str(one), error) for one, error in carry_out_all(platform, project_id, this.patience)]
    if plan_movements(platform.name, project_id, now):
        this.troubles += [Trouble(str(one), error) for one, error in carry_out_all(platform, project_id, this.patience)]
