"""Begin and stop recruiting on a platform, in a trial, too. While recruiting is on, offers follow the open work."""

import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Project
from pipeline.models import KnownQuestion
from pipeline.project.queries import NotAskedError, refuse_others
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import MoneySettings
from platforms.contract import Marketplace, Platform, RecruitmentTerms
from platforms.errors import PlatformError
from platforms.models import Offer, Recruitment
from platforms.offers.budget import cost_cents, reward_cents
from runtime import clock
from workers.task_words import TASK_NAMES


class BadRecruitmentError(PlatformError):
    """The project cannot be offered like this."""


@dataclass(frozen=True, slots=True)
class OfferCost:
    """Cost of all open places in cents. More is spent as places are taken and offered anew."""

    places: int
    workers_cents: int
    fee_cents: int
    """An estimate: the platform tells its fees only afterwards."""
    cap_cents: int
    """The project's spend cap, without fees; 0: none."""

    @property
    def total_cents(self) -> int:
        return self.workers_cents + self.fee_cents


def check_recruitment(
    marketplace: Marketplace, project_id: int, tasks: Iterable[Task], terms: RecruitmentTerms
) -> None:
    """Check the tasks, currency and pay. Raises BadRecruitmentError, which says what does not fit."""
    tasks = list(tasks)
    try:
        refuse_others(Project.objects.get(id=project_id), [task.value for task in tasks])
    except NotAskedError as error:
        raise BadRecruitmentError(str(error)) from error
    _, settings = current_settings(project_id)
    check_currency(marketplace, settings)
    unpaid = [task.label for task in tasks if cost_cents(task, settings, terms) == 0]
    if unpaid:
        raise BadRecruitmentError(
            f"Nothing is paid for {', '.join(unpaid)}: set the rewards in the project's settings."
        )


def check_currency(marketplace: Marketplace, settings: MoneySettings) -> None:
    """Raise BadRecruitmentError if the project and the platform pay in different currencies."""
    if marketplace.currency and settings.currency != marketplace.currency:
        raise BadRecruitmentError(
            f"The project pays in {settings.currency}, the platform in {marketplace.currency}: change the project's "
            "currency."
        )


def untestable(project_id: int, tasks: Iterable[Task]) -> list[Task]:
    """Return the tasks that have too few test questions for a newcomer's test."""
    _, settings = current_settings(project_id)
    tests = KnownQuestion.objects.filter(
        project=project_id, purpose=KnownQuestion.Purpose.TEST, retired_at=None
    ).values_list("task", flat=True)
    counts = Counter(tests)
    return [task for task in tasks if counts[task.value] < settings.test_questions]


def cost_of(marketplace: Marketplace, project_id: int, tasks: Iterable[Task], terms: RecruitmentTerms) -> OfferCost:
    """Return the cost if every place is taken and every session has its whole quota."""
    _, settings = current_settings(project_id)
    each = terms.most_places + terms.entry_places
    costs = [cost_cents(task, settings, terms) * each for task in tasks]
    cents = min(sum(costs), settings.spend_cap_cents or sum(costs))
    return OfferCost(each * len(costs), cents, round(cents * marketplace.fee_percent / 100), settings.spend_cap_cents)


@transaction.atomic
def begin_recruiting(
    platform: Platform, project_id: int, tasks: Iterable[Task], terms: RecruitmentTerms, *, actor: str
) -> Recruitment:
    """Start a recruitment, or change its terms. Offers that are open keep their terms.

    Raises BadRecruitmentError, which says what does not fit.
    """
    chosen = list(tasks)
    check_recruitment(platform.marketplace(), project_id, chosen, terms)
    values = {
        "active": True,
        "tasks": [task.value for task in chosen],
        "terms": terms.model_dump(),
        "started_by": actor,
    }
    recruitment, _ = Recruitment.objects.update_or_create(
        platform=platform.name,
        project_id=project_id,
        defaults=values,
        create_defaults=values | {"created_at": clock.now()},
    )
    return recruitment


def draft_offer(recruitment: Recruitment, task: Task, kind: Offer.Kind, places: int, *, now: datetime) -> Offer:
    """Return an offer. Save it before the platform is asked to make it: its key stays the same in every try."""
    terms = RecruitmentTerms(**recruitment.terms)
    _, settings = current_settings(recruitment.project_id)
    name = Project.objects.get(id=recruitment.project_id).title or "pictures and their captions"
    shown = terms.model_dump() | {
        "title": terms.title or f"{TASK_NAMES[task].capitalize()}: {name}"[:128],
        "description": terms.description or f"{TASK_NAMES[task].capitalize()}: short questions about pictures.",
    }
    return Offer(
        platform=recruitment.platform,
        project_id=recruitment.project_id,
        task=task.value,
        kind=kind,
        key=secrets.token_hex(16),
        places=places,
        least=terms.least,
        quota=terms.quota,
        reward_cents=reward_cents(task, settings, terms),
        pays_tests=terms.pays_tests or kind is Offer.Kind.TEST,
        seconds=terms.minutes * 60,
        terms=shown,
        created_at=now,
        expires_at=now + timedelta(days=terms.days),
    )


def stop_recruiting(recruitment: Recruitment) -> int:
    """End every offer. Workers who have a place keep it, and are paid. Returns how many offers end."""
    Recruitment.objects.filter(id=recruitment.id).update(active=False)
    recruitment.active = False
    return end_offers(Offer.objects.filter(platform=recruitment.platform, project_id=recruitment.project_id))


def end_offers(offers: QuerySet[Offer]) -> int:
    """Drop offers that were never sent, and let the next round withdraw the others. Returns how many it withdraws."""
    offers.filter(state=Offer.State.PLANNED, tries=0).update(state=Offer.State.ENDED)
    return offers.filter(state__in=[Offer.State.PLANNED, Offer.State.OPEN]).update(state=Offer.State.ENDING)


def begin_trial(
    platform: Platform, project_id: int, tasks: Iterable[Task], terms: RecruitmentTerms, *, email: str, actor: str
) -> Recruitment:
    """Plan an offer of each task for test participants, in place of those of an earlier trial.

    Nobody is paid, and no answer counts. A test participant takes the test, as a new worker in each session.
    `email`: of a test participant to make first, or empty. A recruitment that goes on keeps its terms; a new one is
    off. Raises BadRecruitmentError, which says what does not fit.
    """
    if not platform.has_trials:
        raise BadRecruitmentError("This platform has no test participants.")
    chosen, now = list(tasks), clock.now()
    check_recruitment(platform.marketplace(), project_id, chosen, terms)
    if email:
        platform.add_test_participant(email)
    of_project = {"platform": platform.name, "project_id": project_id}
    tried = Recruitment(**of_project, terms=terms.model_dump())
    with transaction.atomic():
        new = {"active": False, "tasks": [task.value for task in chosen], "terms": tried.terms}
        row, _ = Recruitment.objects.get_or_create(
            **of_project, defaults=new | {"started_by": actor, "created_at": now}
        )
        end_offers(Offer.objects.filter(**of_project, kind=Offer.Kind.TEST))
        for task in chosen:
            draft_offer(tried, task, Offer.Kind.TEST, max(terms.entry_places, 1), now=now).save()
    return row
