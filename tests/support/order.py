"""Plugin of pytest: the order of the tests. Tests of a file stay together, since they share what they make."""

import random
from collections import Counter
from collections.abc import Generator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="draw the order of files, and of the tests in each")


@pytest.hookimpl(wrapper=True, tryfirst=True)  # chosen after -m has selected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, object, object]:
    result = yield
    seed = config.getoption("--shuffle")
    if seed is None:
        # A long file that begins last would leave the other processes of -n without work.
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        sizes = Counter(item.path for item in items)
        items.sort(key=lambda item: (item.path not in slow, -sizes[item.path]))
    else:
        drawn = random.Random(seed)
        files = {path: drawn.random() for path in sorted({item.path for item in items})}
        tests = {name: drawn.random() for name in sorted(item.nodeid for item in items)}
        items.sort(key=lambda item: (files[item.path], tests[item.nodeid]))
    return result
