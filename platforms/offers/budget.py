"""What offers cost, and how much more may be promised: under the spend cap, and with the money on the account."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from pipeline.models import Assignment
from pipeline.money import spend_cap
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from platforms.contract.platform import Marketplace
from platforms.contract.terms import Terms
from platforms.models import Offer, Session

COMING = (Offer.State.PLANNED, Offer.State.OPEN)
ARRIVES = timedelta(days=1)
"""A session that was handed in here and not there is not counted for longer after its deadline."""


class Promise(NamedTuple):
    """What is still to come of places and sessions at most, in cents."""

    uncommitted: int
    """Beyond what the spend cap's total counts already: assignments that were leased or handed in."""
    unheld: int
    """Beyond what the platform has set aside itself: the rewards."""


class Rewards(dict[int, dict[str, int]]):
    """Of an assignment of each task, by project."""

    def __missing__(self, project_id: int) -> dict[str, int]:
        self[project_id] = current_settings(project_id)[1].reward_cents
        return self[project_id]

    def most(self, project_id: int, task: str, quota: int, reward: int) -> int:
        """What one place may cost."""
        return max(reward, quota * self[project_id][task])


def cost_cents(task: Task, settings: ProtocolSettings, terms: Terms) -> int:
    """What a place may cost at most, without the platform's fee."""
    return max(reward_cents(task, settings, terms), terms.quota * settings.reward_cents[task.value])


def reward_cents(task: Task, settings: ProtocolSettings, terms: Terms) -> int:
    """What the platform pays for a session that is accepted."""
    return terms.reward_cents or terms.least * settings.reward_cents[task.value]


def room_cents(
    project_id: int, settings: ProtocolSettings, place: Marketplace, platform: str, balance: int | None, now: datetime
) -> int | None:
    """What may still be promised; None: no limit. The account is shared by all projects, the cap by all platforms."""
    rooms = []
    if balance is not None:
        promises = _promises({"platform": platform}, now)
        rooms.append(int(balance / (1 + place.fee_percent / 100)) - sum(one.unheld for one in promises))
    if settings.spend_cap_cents:
        promises = _promises({"project_id": project_id}, now)
        left = settings.spend_cap_cents - spend_cap.committed(project_id)
        rooms.append(left - sum(one.uncommitted for one in promises))
    return min(rooms) if rooms else None


def promised(offers: QuerySet[Offer]) -> int:
    """By their free places, in cents."""
    return sum(one.uncommitted for one in _free(offers, Rewards()))


def _promises(whose: dict[str, object], now: datetime) -> list[Promise]:
    sessions = Session.objects.filter(**{f"offer__{name}": value for name, value in whose.items()})
    rewards = Rewards()
    return [*_free(Offer.objects.filter(**whose), rewards), *_begun(sessions, rewards, now)]


def _free(offers: QuerySet[Offer], rewards: Rewards) -> list[Promise]:
    """Places that nobody has taken; one row for offers that are alike."""
    alike = ("project_id", "task", "quota", "reward_cents", "state")
    rows = offers.filter(state__in=COMING).order_by().values_list(*alike).annotate(free=Sum(F("places") - F("taken")))
    found = []
    for project, task, quota, reward, state, free in rows:
        most = rewards.most(project, task, quota, reward)
        held = reward if state == Offer.State.OPEN else 0
        found.append(Promise(free * most, free * (most - held)))
    return found


def _begun(sessions: QuerySet[Session], rewards: Rewards, now: datetime) -> list[Promise]:
    """Sessions that are not settled."""
    arrives = Q(platform_state="", ends_at__gt=now - ARRIVES) | Q(platform_state=Session.PlatformState.SUBMITTED)
    going_on = Q(state=Session.State.OPEN, platform_state="")
    begun = sessions.filter(going_on | (Q(state=Session.State.FINISHED) & arrives))
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
    """By session, what the spend cap counts of its assignments."""
    of = Assignment.objects.filter(session__in=sessions.order_by().values("id"))
    earned = Coalesce(Sum("earned_cents", filter=Q(state=Assignment.State.SUBMITTED)), 0)
    leased = Coalesce(Sum("reward_cents", filter=Q(state=Assignment.State.ACTIVE)), 0)
    return dict(of.order_by().values_list("session").annotate(cents=earned + leased))
