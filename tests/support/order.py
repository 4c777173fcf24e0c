"""Plugin of pytest: the order of the tests. Tests of a file stay together, since they share what they make."""

import random
from collections import Counter
from collections.abc import Generator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="draw the order of files, and of the tests in each")


@pytest.hookimpl(tryfirst=True)  # pytest itself then puts together what shares a fixture
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if (seed := config.getoption("--shuffle")) is None:
        return
    drawn = random.Random(seed)
    files = {path: drawn.random() for path in sorted({item.path for item in items})}
    tests = {name: drawn.random() for name in sorted(item.nodeid for item in items)}
    items.sort(key=lambda item: (files[item.path], tests[item.nodeid]))


class LongFilesFirst:
    """A long file that begins last would leave the other processes of -n without work."""

    @pytest.hookimpl(wrapper=True)  # after -m has selected
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, object, object]:
        result = yield
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        sizes = Counter(item.path for item in items)
        items.sort(key=lambda item: (item.path not in slow, -sizes[item.path]))
        return result


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--shuffle") is None:
        config.pluginmanager.register(LongFilesFirst())
