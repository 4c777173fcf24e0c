"""Adjust what is offered to the open work and the budget: plan new offers, and end those that are too many."""

from datetime import datetime, timedelta

from django.db import transaction

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.open_questions import free_questions
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import WorkSettings
from platforms.contract import Marketplace, Platform, RecruitmentTerms
from platforms.models import Offer, Recruitment
from platforms.offers.budget import COMING, Places, budget_cents, cost_cents, free_places
from platforms.offers.recruit import check_currency, draft_offer
from platforms.rules.places import change, in_chunks, places_to_offer
from runtime import clock

State = Offer.State
REFUSED_REST = timedelta(hours=1)
"""An offer that the platform refused is not planned again for so long."""


def adjust_offers(platform: Platform, recruitment: Recruitment, *, now: datetime | None = None) -> None:
    """Plan and end offers of every task; a stopped recruitment ends all of its offers.

    Locks the recruitment's row, so concurrent runs wait for each other. `send_offers` then calls the platform.
    """
    now = now or clock.now()
    marketplace, balance = platform.marketplace(), platform.balance_cents()
    with transaction.atomic():
        Recruitment.objects.select_for_update().get(id=recruitment.id)
        _adjust(recruitment, marketplace, balance, now)


def _adjust(recruitment: Recruitment, marketplace: Marketplace, balance: int | None, now: datetime) -> None:
    terms = RecruitmentTerms(**recruitment.terms)
    _, settings = current_settings(recruitment.project_id)
    check_currency(marketplace, settings)
    Offer.objects.filter(**_of(recruitment), state=State.OPEN, expires_at__lte=now).update(state=State.ENDING)
    project, platform = recruitment.project_id, recruitment.platform
    budget = budget_cents(project, platform, settings, marketplace, balance=balance, now=now)
    places = free_places(Offer.objects.filter(**_of(recruitment)))
    # A project that does not run has no work for those who come: its places are withdrawn.
    runs = Project.objects.filter(id=recruitment.project_id, state=ProjectState.RUNNING.value).exists()
    for task in Task:
        asks = runs and recruitment.active and task.value in recruitment.tasks
        work = _open_work(recruitment.project_id, task, settings, terms) if asks else 0
        cost = cost_cents(task, settings, terms)
        for kind, most in ((Offer.Kind.WORK, terms.most_places), (Offer.Kind.ENTRY, terms.entry_places)):
            offered, promised = places.get((task.value, kind.value), Places())
            allowed = None if budget is None else budget + promised
            chunk = marketplace.most_places[kind]
            target = (
                places_to_offer(work=work, most=most, budget_cents=allowed, cost_cents=cost) if chunk and cost else 0
            )
            step = change(target=target, offered=offered, chunk=chunk)
            if step.more and _refused_lately(recruitment, task, kind, now):
                continue
            for count in in_chunks(step.more, chunk):
                draft_offer(recruitment, task, kind, count, now=now).save()
            ended = _end(recruitment, task, kind, step.fewer) if step.fewer else 0
            if budget is not None:
                budget -= (step.more - ended) * cost


def _of(recruitment: Recruitment) -> dict[str, object]:
    return {"platform": recruitment.platform, "project_id": recruitment.project_id}


def _open_work(project_id: int, task: Task, settings: WorkSettings, terms: RecruitmentTerms) -> int:
    """Return how many assignments could be given out now, counted no further than offers are made."""
    batch = settings.batch[task.value]
    most = max(terms.most_places, terms.entry_places) * batch
    questions = free_questions(project_id, task).filter(for_people=True)[:most].count()
    return -(-questions // batch)


def _refused_lately(recruitment: Recruitment, task: Task, kind: Offer.Kind, now: datetime) -> bool:
    """Whether the platform refused such an offer a short while ago: not every round tries it again."""
    offers = Offer.objects.filter(**_of(recruitment), task=task.value, kind=kind, state=State.ENDED, external_id="")
    return offers.exclude(last_error="").filter(sent_at__gt=now - REFUSED_REST).exists()


def _end(recruitment: Recruitment, task: Task, kind: Offer.Kind, fewer: int) -> int:
    """End the newest whole offers, at most `fewer` open places together. Returns how many places they had."""
    ended = 0
    offers = Offer.objects.filter(**_of(recruitment), task=task.value, kind=kind, state__in=COMING)
    for offer in offers.order_by("-id"):
        places = offer.places - offer.taken
        if ended + places <= fewer and places:
            # An offer that was never sent is simply dropped; one that may exist has to be withdrawn.
            ends = State.ENDED if offer.state == State.PLANNED and not offer.tries else State.ENDING
            if Offer.objects.filter(id=offer.id, state=offer.state).update(state=ends):
                ended += places
    return ended
