"""A project that recruits on a twin of a platform, and workers who come from there: all of it but the browser."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import unescape
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from pipeline.rules.tasks.task import Task
from platforms.contract.platform import Platform
from platforms.contract.terms import Terms
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import begin_recruiting
from platforms.registry import find_platform
from platforms.sync import Round, sync
from tests.support.money import ASK, paying
from workers.models import Worker

MOST_ROUNDS = 30
HOWS = ("before", "after")
"""When a call fails: before it took effect, or afterwards, when its answer is lost."""
KINDS = ("timeout", "500", "throttle")


class Side(Protocol):
    """A twin, as one of its workers and its clock use it."""

    name: str
    currency: str
    kinds_of_calls: tuple[Any, ...]
    """Every kind of call that our side makes in the story."""
    money_calls: tuple[Any, ...]
    """Those of them that move money or offer it."""

    def used(self) -> set[Any]:
        """The kinds of calls that were made."""

    def fail(self, call: Any, how: Any, kind: Any, times: int = 1) -> None: ...

    def faults_left(self) -> int:
        """Faults that were asked for and did not come."""

    def take(self, offer: Offer, who: str) -> str:
        """A place; the address that their browser opens."""

    def hand_in(self, session: Session, who: str) -> None:
        """They go back to the platform with the session done."""

    def give_back(self, session: Session, who: str) -> None: ...

    def finds(self, who: str) -> set[str]:
        """External ids of the offers that they find."""

    def move(self, duration: timedelta) -> None: ...

    def made(self) -> int:
        """Offers that were ever made there."""

    def paid(self) -> int:
        """What workers got in all, in cents, without fees."""


@dataclass
class World:
    """`clock` is what our side takes for the time."""

    side: Side
    project: Project
    recruitment: Recruitment
    ahead: timedelta = timedelta()
    visits: dict[int, dict[str, str]] = field(default_factory=dict)

    @property
    def platform(self) -> Platform:
        return find_platform(self.side.name)

    def round(self, **options: Any) -> Round:
        self.recruitment.refresh_from_db()
        return sync(self.platform, self.recruitment, **options)

    def settle(self) -> int:
        """Rounds, with time passing, until the platform and we have nothing more to say; how many it took."""
        for number in range(1, MOST_ROUNDS):
            last_error = self.round().failures
            waiting = Payment.objects.filter(state__in=["planned", "sent"]).exists()
            waiting |= Offer.objects.filter(state__in=["planned", "ending"]).exists()
            if not last_error and not waiting:
                return number
            self.move(hours=13)
        raise AssertionError(f"it never comes to an end: {last_error}, {list(Payment.objects.values())}")

    def move(self, **duration: float) -> None:
        self.ahead += timedelta(**duration)
        self.side.move(timedelta(**duration))

    def offers(self, kind: Offer.Kind, task: Task = ASK) -> list[Offer]:
        found = Offer.objects.filter(kind=kind, task=task.value, state=Offer.State.OPEN, platform=self.side.name)
        return list(found.order_by("id"))

    def arrive(self, offer: Offer, who: str) -> Session:
        """They take a place and open the page."""
        parts = urlsplit(self.side.take(offer, who))
        for _ in range(5):  # where the platform can't be asked who comes, the page reloads itself
            answer = Client().get(f"{parts.path}?{parts.query}")
            if answer.status_code != 503:
                break
        assert answer.status_code == 200, answer.content.decode()
        assert not answer.cookies
        page = dict(re.findall(r'data-([a-z-]+)="([^"]*)"', answer.content.decode()))
        session = Session.objects.get(id=int(unescape(page["bearer"]).split(":")[0].split(".")[1]))
        self.visits[session.id] = {name: unescape(value) for name, value in page.items()}
        return session

    def call(self, session: Session, path: str, body: Any = None) -> Any:
        """The API as the page speaks to it."""
        headers = {"Authorization": f"Bearer {self.visits[session.id]['bearer']}"}
        answer = Client().post(f"/api/v1/{path}", body or {}, content_type="application/json", headers=headers)
        assert answer.status_code == 200, answer.content.decode()
        return answer.json()

    def works(self, session: Session, answer: Any = 3) -> Any:
        """One assignment: asked for, answered, submitted. The receipt."""
        asked = self.call(session, f"projects/{self.project.name}/assignments/", {"task": session.offer.task})
        assignment = asked["assignment"]
        assert assignment, asked["message"]
        answers = [{"answer": answer, "seconds": 2.0} for _ in assignment["questions"]]
        return self.call(session, f"assignments/{assignment['token']}/submit/", {"answers": answers})

    def finishes(self, session: Session, who: str) -> None:
        """Handed in here, then there."""
        self.call(session, "session/finish/")
        self.side.hand_in(session, who)

    def does(self, offer: Offer, who: str, assignments: int = 1) -> Session:
        """A whole session."""
        session = self.arrive(offer, who)
        self.trust(who)
        for _ in range(assignments):
            self.works(session)
        self.finishes(session, who)
        session.refresh_from_db()
        return session

    def trust(self, who: str) -> None:
        """They have passed the test."""
        worker = Worker.objects.get(identities__external_id=who)
        worker.trust_statuses.update(state="trusted", passed_test=True, trusted_since=timezone.now())


@contextmanager
def a_world(side: Side, monkeypatch: pytest.MonkeyPatch, *, images: int = 60, **terms: Any) -> Iterator[World]:
    """60 questions of which each is asked once; ten make an assignment, which pays 50 cents."""
    project = paying(images, currency=side.currency)
    usual = {"quota": 2, "most_places": 2, "entry_places": 2, "minutes": 60}
    recruitment = begin_recruiting(find_platform(side.name), project.pk, [ASK], Terms(**usual | terms), actor="ada")
    world = World(side, project, recruitment)
    monkeypatch.setattr(timezone, "now", _moved(world, timezone.now))
    yield world


def _moved(world: World, real: Callable[[], datetime]) -> Callable[[], datetime]:
    return lambda: real() + world.ahead
