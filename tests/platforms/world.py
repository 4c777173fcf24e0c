"""A project that recruits on the twin of a platform, and workers who come from there; all but the browser."""

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

from annotation.models import Project
from pipeline.protocol.tasks.task import Task
from platforms.contract import Platform, RecruitmentTerms
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import begin_recruiting
from platforms.registry import find_platform
from platforms.sync import Round, sync
from runtime import clock
from tests.support.money import ASK, paying
from workers.models import Worker

MOST_ROUNDS = 30
HOWS = ("before", "after")
"""The moment when a call fails: before it takes effect, or afterwards, so that its answer is lost."""
KINDS = ("timeout", "500", "throttle")


class Side(Protocol):
    """A twin, as its workers and its clock use it."""

    name: str
    currency: str
    kinds_of_calls: tuple[Any, ...]
    """Every kind of call that our adapter makes in the story."""
    money_calls: tuple[Any, ...]
    """Kinds of calls that move or offer money."""

    def used(self) -> set[Any]:
        """The kinds of calls that were made."""

    def fail(self, call: Any, how: Any, kind: Any, times: int = 1) -> None: ...

    def faults_left(self) -> int:
        """Number of faults that were requested and did not occur."""

    def take(self, offer: Offer, who: str) -> str:
        """Take a place, and return the address that the worker's browser opens."""

    def hand_in(self, session: Session, who: str) -> None:
        """Submit the session on the platform."""

    def give_back(self, session: Session, who: str) -> None: ...

    def finds(self, who: str) -> set[str]:
        """Return the external ids of the offers that the worker finds."""

    def move(self, duration: timedelta) -> None: ...

    def made(self) -> int:
        """Number of offers that were ever made on the platform."""

    def paid(self) -> int:
        """The pay of all workers, in cents, without fees."""


@dataclass
class World:
    """A project, its recruitment and a twin. `ahead`: how far our clock is ahead of the real one."""

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
        """Run rounds, with time passing, until nothing is left to do. Returns how many it took."""
        for number in range(1, MOST_ROUNDS):
            failures = self.round().failures
            waiting = Payment.objects.filter(state__in=["planned", "sent"]).exists()
            waiting |= Offer.objects.filter(state__in=["planned", "ending"]).exists()
            if not failures and not waiting:
                return number
            self.move(hours=13)
        raise AssertionError(f"it never comes to an end: {failures}, {list(Payment.objects.values())}")

    def move(self, **duration: float) -> None:
        self.ahead += timedelta(**duration)
        self.side.move(timedelta(**duration))

    def offers(self, kind: Offer.Kind, task: Task = ASK) -> list[Offer]:
        found = Offer.objects.filter(kind=kind, task=task.value, state=Offer.State.OPEN, platform=self.side.name)
        return list(found.order_by("id"))

    def arrive(self, offer: Offer, who: str) -> Session:
        """The worker takes a place and opens the page."""
        parts = urlsplit(self.side.take(offer, who))
        for _ in range(5):  # the page reloads itself while the platform does not answer
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
        """Call the API as the page does."""
        headers = {"Authorization": f"Bearer {self.visits[session.id]['bearer']}"}
        answer = Client().post(f"/api/v1/{path}", body or {}, content_type="application/json", headers=headers)
        assert answer.status_code == 200, answer.content.decode()
        return answer.json()

    def works(self, session: Session, answer: Any = 3) -> Any:
        """Ask for one assignment, answer it and submit it. Returns the receipt."""
        asked = self.call(session, f"projects/{self.project.name}/assignments/", {"task": session.offer.task})
        assignment = asked["assignment"]
        assert assignment, asked["message"]
        answers = [{"answer": answer, "seconds": 2.0} for _ in assignment["questions"]]
        return self.call(session, f"assignments/{assignment['token']}/submit/", {"answers": answers})

    def finishes(self, session: Session, who: str) -> None:
        """Hand the session in on our page, then on the platform."""
        self.call(session, "session/finish/")
        self.side.hand_in(session, who)

    def does(self, offer: Offer, who: str, assignments: int = 1) -> Session:
        """Do a whole session."""
        session = self.arrive(offer, who)
        self.trust(who)
        for _ in range(assignments):
            self.works(session)
        self.finishes(session, who)
        session.refresh_from_db()
        return session

    def trust(self, who: str) -> None:
        """Let the worker pass the test."""
        worker = Worker.objects.get(identities__external_id=who)
        worker.trust_statuses.update(state="trusted", passed_test=True, trusted_since=clock.now())


@contextmanager
def a_world(side: Side, monkeypatch: pytest.MonkeyPatch, **terms: Any) -> Iterator[World]:
    """60 questions that are each asked once; an assignment of ten pays 50 cents."""
    project = paying(3, each=20, currency=side.currency)
    usual = {"quota": 2, "most_places": 2, "entry_places": 2, "minutes": 60}
    recruitment = begin_recruiting(
        find_platform(side.name), project.pk, [ASK], RecruitmentTerms(**usual | terms), actor="ada"
    )
    world = World(side, project, recruitment)
    monkeypatch.setattr(clock, "now", _moved(world, clock.now))
    yield world


def _moved(world: World, real: Callable[[], datetime]) -> Callable[[], datetime]:
    return lambda: real() + world.ahead
