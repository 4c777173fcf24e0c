"""A web server that takes what webhooks send."""

from collections.abc import Iterator

import pytest

from tests.support.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server
