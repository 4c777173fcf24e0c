"""A twin of Prolific, and our adapter that calls it."""

from collections.abc import Iterator
from typing import Any

import pytest

from platforms.prolific.platform import ProlificPlatform
from tests.platforms.patient import PatientClient
from tests.twins.prolific import ProlificTwin


@pytest.fixture
def twin(settings: Any) -> Iterator[ProlificTwin]:
    with ProlificTwin(currency="USD") as running:
        settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = running.token, running.workspace
        settings.PROLIFIC_API_URL, settings.PROLIFIC_SITE = running.url, running.site
        yield running


@pytest.fixture
def prolific(twin: ProlificTwin) -> ProlificPlatform:
    return ProlificPlatform(PatientClient(twin.url, twin.token, twin=twin), twin.workspace)
