"""Worlds: a project that recruits on the twin of a platform."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import pytest

from annotation.models import Project
from platforms.models import Offer
from tests.platforms.paper import Paper
from tests.platforms.patient import PatientClient, PatientTurk
from tests.platforms.sides import MTurkSide, ProlificSide
from tests.platforms.world import Side, World, a_world
from tests.support.money import paying
from tests.support.recruiting import an_offer
from tests.twins.mturk import MTurkTwin
from tests.twins.prolific import ProlificTwin


@contextmanager
def prolific(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    with ProlificTwin() as twin:
        monkeypatch.setattr("platforms.prolific.platform.Client", partial(PatientClient, twin=twin))
        settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = twin.token, twin.workspace
        settings.PROLIFIC_API_URL, settings.PROLIFIC_SITE = twin.url, twin.site
        yield ProlificSide(twin)


@contextmanager
def mturk(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    with MTurkTwin() as twin:
        turk = PatientTurk(twin)
        monkeypatch.setattr("platforms.mturk.platform.turk_at", lambda url: turk)
        settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_SITES = "sandbox", twin.url, [twin.url]
        settings.ADDRESS = "http://localhost"
        yield MTurkSide(twin)


SIDES = {"mturk": mturk, "prolific": prolific}


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    """Start each platform's twin, with our settings for it."""
    begun: AbstractContextManager[Side] = SIDES[request.param](settings, monkeypatch)
    with begun as found:
        yield found


@pytest.fixture
def world(side: Side, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with a_world(side, monkeypatch) as made:
        yield made


@pytest.fixture
def project() -> Project:
    return paying(3, each=20)


@pytest.fixture
def offer(project: Project) -> Offer:
    """An offer whose sessions may have three assignments."""
    return an_offer(project, quota=3)


@pytest.fixture
def paper() -> Paper:
    return Paper()
