"""A web server that takes what webhooks send."""

from collections.abc import Iterator

import pytest

from tests.support.web_server import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server
