"""A twin of Mechanical Turk, and our adapter that calls it."""

from collections.abc import Iterator
from typing import Any

import pytest

from platforms.mturk.platform import MTurkPlatform
from tests.platforms.mturk.samples import QUEUE_URL
from tests.platforms.patient import PatientTurk
from tests.twins.mturk import MTurkTwin, Queue


@pytest.fixture
def queue() -> Queue:
    return Queue()


@pytest.fixture
def twin(queue: Queue, settings: Any) -> Iterator[MTurkTwin]:
    with MTurkTwin(deliver=queue.put) as running:
        settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_SITES = "sandbox", running.url, [running.url]
        settings.ADDRESS = "http://localhost"
        yield running


@pytest.fixture
def mturk(twin: MTurkTwin, queue: Queue) -> MTurkPlatform:
    return MTurkPlatform(PatientTurk(twin), sqs=queue, queue_url=QUEUE_URL)
