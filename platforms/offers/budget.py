"""Costs of offers, and the budget that the spend cap and the account's balance leave."""

from datetime import datetime, timedelta
from math import ceil
from typing import NamedTuple

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from pipeline.models import Assignment
from pipeline.money import spend_cap
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import MoneySettings
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import USUAL_SECONDS
from platforms.contract import Marketplace, RecruitmentTerms
from platforms.models import Offer, Session

COMING = (Offer.State.PLANNED, Offer.State.OPEN)
LISTED_WITHIN = timedelta(days=1)
"""A session that was handed in on our page alone counts for so long after its deadline."""


class Promise(NamedTuple):
    """The most that places and sessions may still cost, in cents."""

    uncommitted: int
    """Without what the spend cap already counts: assignments that were leased or submitted."""
    unheld: int
    """Without what the platform has set aside itself: the rewards."""


class Rewards(dict[int, dict[str, int]]):
    """Pay of an assignment by project id and task, in cents."""

    def __missing__(self, project_id: int) -> dict[str, int]:
        self[project_id] = current_settings(project_id)[1].reward_cents
        return self[project_id]

    def most(self, project_id: int, task: str, quota: int, reward: int) -> int:
        """Return what one place may cost."""
        return max(reward, quota * self[project_id][task])


class Places(NamedTuple):
    """Places that nobody has taken, and what they may cost, in cents."""

    free: int = 0
    cents: int = 0


class Alike(NamedTuple):
    """The free places of offers that are alike."""

    project_id: int
    task: str
    kind: str
    quota: int
    reward_cents: int
    state: str
    free: int

    def promise(self, rewards: Rewards) -> Promise:
        most = rewards.most(self.project_id, self.task, self.quota, self.reward_cents)
        held = self.reward_cents if self.state == Offer.State.OPEN else 0
        return Promise(self.free * most, self.free * (most - held))


def cost_cents(task: Task, settings: Settings, terms: RecruitmentTerms) -> int:
    """Return what one place may cost, without the platform's fee."""
    return max(reward_cents(task, settings, terms), terms.quota * settings.reward_cents[task.value])


def reward_cents(task: Task, settings: MoneySettings, terms: RecruitmentTerms) -> int:
    """Return what the platform pays for an accepted session."""
    return terms.reward_cents or terms.least * settings.reward_cents[task.value]


def usual_minutes(offer: Offer) -> int:
    """Return the minutes that a session usually takes; a qualification test takes about as long as one assignment."""
    parts = offer.least + (0 if offer.kind == Offer.Kind.WORK else 1)
    return ceil(parts * USUAL_SECONDS[Task(offer.task)] / 60)


def hourly_cents(offer: Offer) -> int:
    """Return the reward of an hour, if sessions take their usual time."""
    return offer.reward_cents * 60 // usual_minutes(offer)


def budget_cents(
    project_id: int,
    platform: str,
    settings: MoneySettings,
    marketplace: Marketplace,
    *,
    balance: int | None,
    now: datetime,
) -> int | None:
    """Return what may still be promised; None: no limit.

    All projects share the account's balance, and all platforms share the project's spend cap.
    """
    limits = []
    if balance is not None:
        promises = _promises({"platform": platform}, now)
        limits.append(int(balance / (1 + marketplace.fee_percent / 100)) - sum(promise.unheld for promise in promises))
    if settings.spend_cap_cents:
        promises = _promises({"project_id": project_id}, now)
        left = settings.spend_cap_cents - spend_cap.committed(project_id)
        limits.append(left - sum(promise.uncommitted for promise in promises))
    return min(limits) if limits else None


def free_places(offers: QuerySet[Offer]) -> dict[tuple[str, str], Places]:
    """Return the free places of these offers by task and kind, in one statement."""
    found: dict[tuple[str, str], Places] = {}
    rewards = Rewards()
    for offer in _alike(offers):
        has = found.get((offer.task, offer.kind), Places())
        found[offer.task, offer.kind] = Places(has.free + offer.free, has.cents + offer.promise(rewards).uncommitted)
    return found


def _promises(whose: dict[str, object], now: datetime) -> list[Promise]:
    sessions = Session.objects.filter(**{f"offer__{name}": value for name, value in whose.items()})
    rewards = Rewards()
    free = [offer.promise(rewards) for offer in _alike(Offer.objects.filter(**whose))]
    return [*free, *_begun(sessions, rewards, now)]


def _alike(offers: QuerySet[Offer]) -> list[Alike]:
    """Return the free places that are offered, one row for offers that are alike."""
    alike = ("project_id", "task", "kind", "quota", "reward_cents", "state")
    paid = offers.filter(state__in=COMING).exclude(kind=Offer.Kind.TEST)
    rows = paid.order_by().values_list(*alike).annotate(free=Sum(F("places") - F("taken")))
    return [Alike(*row) for row in rows]


def _begun(sessions: QuerySet[Session], rewards: Rewards, now: datetime) -> list[Promise]:
    """Return the promises of sessions that are not settled."""
    expected = Q(platform_state="", ends_at__gt=now - LISTED_WITHIN) | Q(platform_state=Session.PlatformState.SUBMITTED)
    at_work = Q(state=Session.State.OPEN, platform_state="")
    paid = sessions.exclude(offer__kind=Offer.Kind.TEST)
    begun = paid.filter(at_work | (Q(state=Session.State.FINISHED) & expected))
    committed = _committed(begun)
    found = []
    for session in begun.select_related("offer"):
        offer, counted = session.offer, committed.get(session.id, 0)
        is_open = session.state == Session.State.OPEN
        quota = offer.quota if is_open else 0
        most = max(rewards.most(offer.project_id, offer.task, quota, offer.reward_cents), counted)
        found.append(Promise(most - counted, most - offer.reward_cents))
    return found


def _committed(sessions: QuerySet[Session]) -> dict[int | None, int]:
    """Return what the spend cap counts of the sessions' assignments, by session id."""
    of = Assignment.objects.filter(session__in=sessions.order_by().values("id"))
    earned = Coalesce(Sum("earned_cents", filter=Q(state=Assignment.State.SUBMITTED)), 0)
    leased = Coalesce(Sum("reward_cents", filter=Q(state=Assignment.State.ACTIVE)), 0)
    return dict(of.order_by().values_list("session").annotate(cents=earned + leased))
