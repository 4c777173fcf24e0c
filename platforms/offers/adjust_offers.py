"""Keep what is offered in step with the open work and the money: plan new offers, and end those that are too many."""

import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from annotation.models import Project
from pipeline.open_questions import free_questions
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from platforms.contract.platform import Marketplace, Platform
from platforms.contract.terms import Terms
from platforms.models import Offer, Recruitment
from platforms.offers.budget import COMING, cost_cents, promised, reward_cents, room_cents
from platforms.offers.recruit import check_currency
from platforms.rules.places import change, in_chunks, wanted

State = Offer.State
REFUSED_REST = timedelta(hours=1)


def keep_offers(platform: Platform, recruitment: Recruitment, *, now: datetime | None = None) -> None:
    """Of every task. What a stopped recruitment still offers is ended. Runs at once come one after the other."""
    now = now or timezone.now()
    place, balance = platform.place(), platform.balance_cents()
    with transaction.atomic():
        Recruitment.objects.select_for_update().get(id=recruitment.id)
        _keep(recruitment, place, balance, now)


def _keep(recruitment: Recruitment, place: Marketplace, balance: int | None, now: datetime) -> None:
    terms = Terms.read(recruitment.terms)
    _, settings = current_settings(recruitment.project_id)
    check_currency(place, settings)
    Offer.objects.filter(**_of(recruitment), state=State.OPEN, expires_at__lte=now).update(state=State.ENDING)
    room = room_cents(recruitment.project_id, settings, place, recruitment.platform, balance, now)
    for task in Task:
        work = _open_work(recruitment.project_id, task, settings, terms) if _is_on(recruitment, task) else 0
        cost = cost_cents(task, settings, terms)
        for kind, most in ((Offer.Kind.WORK, terms.most_places), (Offer.Kind.ENTRY, terms.entry_places)):
            coming = Offer.objects.filter(**_of(recruitment), task=task.value, kind=kind, state__in=COMING)
            there = coming.aggregate(places=Sum(F("places") - F("taken")))["places"] or 0
            allowed = None if room is None else room + promised(coming)
            chunk = place.most_places[kind]
            target = wanted(work=work, most=most, room_cents=allowed, cost_cents=cost) if chunk and cost else 0
            step = change(target=target, offered=there, chunk=chunk)
            if step.more and _refused_lately(recruitment, task, kind, now):
                continue
            for places in in_chunks(step.more, chunk):
                plan_offer(recruitment, task, kind, places, now=now)
            ended = _end(recruitment, task, kind, step.fewer)
            if room is not None:
                room -= (step.more - ended) * cost


def plan_offer(recruitment: Recruitment, task: Task, kind: Offer.Kind, places: int, *, now: datetime) -> Offer:
    """Written down before the platform is asked, under a name that stays the same however often it is."""
    terms = Terms.read(recruitment.terms)
    _, settings = current_settings(recruitment.project_id)
    name = Project.objects.get(id=recruitment.project_id).title or "pictures and their captions"
    shown = terms.as_dict() | {
        "title": terms.title or f"{task.label.capitalize()}: {name}"[:128],
        "description": terms.description or f"{task.label.capitalize()}: short questions about pictures.",
    }
    return Offer.objects.create(
        platform=recruitment.platform,
        project_id=recruitment.project_id,
        task=task.value,
        kind=kind,
        key=secrets.token_hex(16),
        places=places,
        least=terms.least,
        quota=terms.quota,
        reward_cents=reward_cents(task, settings, terms),
        pays_tests=terms.pays_tests,
        seconds=terms.minutes * 60,
        terms=shown,
        created_at=now,
        expires_at=now + timedelta(days=terms.days),
    )


def _of(recruitment: Recruitment) -> dict[str, object]:
    return {"platform": recruitment.platform, "project_id": recruitment.project_id}


def _is_on(recruitment: Recruitment, task: Task) -> bool:
    return recruitment.active and task.value in recruitment.tasks


def _open_work(project_id: int, task: Task, settings: ProtocolSettings, terms: Terms) -> int:
    """Assignments that could be given out now, counted up to as many as are offered at most."""
    batch = settings.batch[task.value]
    most = max(terms.most_places, terms.entry_places) * batch
    questions = free_questions(project_id, task).filter(for_people=True).order_by()[:most].count()
    return -(-questions // batch)


def _refused_lately(recruitment: Recruitment, task: Task, kind: Offer.Kind, now: datetime) -> bool:
    """What the platform will not have is not offered again in every round."""
    offers = Offer.objects.filter(**_of(recruitment), task=task.value, kind=kind, state=State.ENDED, external_id="")
    return offers.exclude(last_error="").filter(sent_at__gt=now - REFUSED_REST).exists()


def _end(recruitment: Recruitment, task: Task, kind: Offer.Kind, fewer: int) -> int:
    """End the newest offers whose open places are too many, whole ones only. Returns how many places they had."""
    ended = 0
    offers = Offer.objects.filter(**_of(recruitment), task=task.value, kind=kind, state__in=COMING)
    for offer in offers.order_by("-id"):
        places = offer.places - offer.taken
        if ended + places <= fewer and places:
            # One that was never asked for is simply dropped; one that may be there has to be withdrawn.
            ends = State.ENDED if offer.state == State.PLANNED and not offer.tries else State.ENDING
            if Offer.objects.filter(id=offer.id, state=offer.state).update(state=ends):
                ended += places
    return ended
