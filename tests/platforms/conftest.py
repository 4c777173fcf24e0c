"""Worlds: a project that recruits on a twin of a platform."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import pytest

from platforms.mturk.client import Turk
from platforms.prolific.client import Client
from tests.platforms.mturk_side import MTurkSide
from tests.platforms.prolific_side import ProlificSide
from tests.platforms.world import Side, World, a_world
from tests.twins.mturk import MTurkTwin
from tests.twins.prolific import ProlificTwin

PATIENCE = 0.25
"""Seconds that our side waits for an answer: a call that times out should not take long."""


@contextmanager
def prolific(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    hasty = partial(Client, seconds=PATIENCE, pauses=(0.0,))
    monkeypatch.setattr("platforms.prolific.platform.Client", hasty)
    with ProlificTwin(pays_lists_again=True) as twin:
        settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = twin.token, twin.workspace
        settings.PROLIFIC_API_URL, settings.PROLIFIC_SITE = twin.url, twin.site
        yield ProlificSide(twin)


@contextmanager
def mturk(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    with MTurkTwin() as twin:
        client = twin.client(read_timeout=PATIENCE, retries={"mode": "standard", "total_max_attempts": 1})
        monkeypatch.setattr("platforms.mturk.platform.turk_at", lambda url: Turk(client))
        settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_SITES = "sandbox", twin.url, [twin.url]
        settings.ADDRESS = "http://localhost"
        yield MTurkSide(twin)


SIDES = {"mturk": mturk, "prolific": prolific}


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Side]:
    """Each platform's twin, and our settings for it."""
    begun: AbstractContextManager[Side] = SIDES[request.param](settings, monkeypatch)
    with begun as found:
        yield found


@pytest.fixture
def world(side: Side, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with a_world(side, monkeypatch) as made:
        yield made
