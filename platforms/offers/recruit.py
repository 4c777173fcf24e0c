"""Begin and stop recruiting on a platform. Offers follow: they are kept in step with the open work while it is on."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from pipeline.models import KnownQuestion
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from platforms.contract.errors import PlatformError
from platforms.contract.platform import Marketplace, Platform
from platforms.contract.terms import Terms
from platforms.models import Offer, Recruitment
from platforms.offers.budget import cost_cents


class BadRecruitmentError(PlatformError):
    """It can't be offered like this."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What open places may cost at most, in cents; more is spent as places are taken and offered anew."""

    places: int
    workers_cents: int
    fee_cents: int
    """About: the platform says it only afterwards."""
    cap_cents: int
    """The project's spend cap, without fees; 0: none."""

    @property
    def total_cents(self) -> int:
        return self.workers_cents + self.fee_cents


def check_recruitment(place: Marketplace, project_id: int, tasks: Iterable[Task], terms: Terms) -> None:
    """BadRecruitmentError says what does not fit."""
    _, settings = current_settings(project_id)
    check_currency(place, settings)
    unpaid = [task.label for task in tasks if cost_cents(task, settings, terms) == 0]
    if unpaid:
        raise BadRecruitmentError(
            f"Nothing is paid for {', '.join(unpaid)}: set the rewards in the project's settings."
        )


def check_currency(place: Marketplace, settings: ProtocolSettings) -> None:
    """BadRecruitmentError: an amount would be another amount."""
    if place.currency and settings.currency != place.currency:
        raise BadRecruitmentError(
            f"The project pays in {settings.currency}, the platform in {place.currency}: change the project's currency."
        )


def untestable(project_id: int, tasks: Iterable[Task]) -> list[Task]:
    """Tasks of which a newcomer can't take the test: there are too few test questions."""
    _, settings = current_settings(project_id)
    there = KnownQuestion.objects.filter(
        project=project_id, purpose=KnownQuestion.Purpose.TEST, retired_at=None
    ).values_list("task", flat=True)
    counts = Counter(there)
    return [task for task in tasks if counts[task.value] < settings.test_questions]


def cost_of(place: Marketplace, project_id: int, tasks: Iterable[Task], terms: Terms) -> Cost:
    """If every place is taken and every session has its whole quota."""
    _, settings = current_settings(project_id)
    each = terms.most_places + terms.entry_places
    costs = [cost_cents(task, settings, terms) * each for task in tasks]
    cents = min(sum(costs), settings.spend_cap_cents or sum(costs))
    return Cost(each * len(costs), cents, round(cents * place.fee_percent / 100), settings.spend_cap_cents)


@transaction.atomic
def begin_recruiting(
    platform: Platform, project_id: int, tasks: Iterable[Task], terms: Terms, *, actor: str, now: datetime | None = None
) -> Recruitment:
    """New terms hold for offers made from now on; those that are open keep theirs. BadRecruitmentError."""
    chosen = list(tasks)
    check_recruitment(platform.place(), project_id, chosen, terms)
    values = {"active": True, "tasks": [task.value for task in chosen], "terms": terms.as_dict(), "started_by": actor}
    recruitment, _ = Recruitment.objects.update_or_create(
        platform=platform.name,
        project_id=project_id,
        defaults=values,
        create_defaults=values | {"created_at": now or timezone.now()},
    )
    return recruitment


def stop_recruiting(recruitment: Recruitment) -> int:
    """Nobody new from now on: every offer is to end. Who has a place keeps it, and is paid. Returns how many offers."""
    Recruitment.objects.filter(id=recruitment.id).update(active=False)
    recruitment.active = False
    offers = Offer.objects.filter(platform=recruitment.platform, project_id=recruitment.project_id)
    offers.filter(state=Offer.State.PLANNED, tries=0).update(state=Offer.State.ENDED)
    return offers.filter(state__in=[Offer.State.PLANNED, Offer.State.OPEN]).update(state=Offer.State.ENDING)
