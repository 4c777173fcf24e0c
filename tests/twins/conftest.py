"""A twin of Mechanical Turk, and who speaks to it."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.twins.mturk import MTurkTwin, Queue


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def twin(queue: Queue) -> Iterator[MTurkTwin]:
    with MTurkTwin(deliver=queue.put) as running:
        yield running


@pytest.fixture
def client(twin: MTurkTwin) -> Any:
    return twin.client()


@pytest.fixture
def site(twin: MTurkTwin) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=twin.url, follow_redirects=True) as browser:
        yield browser
