"""Moments when a session on a platform may be handed in."""

from typing import Any

import pytest

from platforms.rules.session_end import still_missing

BEGUN: dict[str, Any] = {
    "done": 0,
    "least": 2,
    "passed": False,
    "tested": False,
    "pays_tests": False,
    "nothing_open": False,
}


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        pytest.param({"done": 2}, None, id="it has the assignments that it needs"),
        pytest.param({"done": 3}, None, id="or more"),
        pytest.param({}, 2, id="the missing ones are asked for while there is work"),
        pytest.param({"done": 1}, 1, id="down to the last"),
        pytest.param({"done": 1, "nothing_open": True}, None, id="nothing more is open: what was done is enough"),
        pytest.param({"tested": True, "passed": True, "nothing_open": True}, None, id="a passed test is something"),
        pytest.param({"tested": True, "passed": True}, 2, id="not while there is work"),
        pytest.param({"tested": True, "nothing_open": True}, 0, id="a failed test is nothing"),
        pytest.param({"tested": True, "pays_tests": True}, None, id="unless the offer pays it"),
        pytest.param({"nothing_open": True}, 0, id="a worker who did nothing gives the place back"),
    ],
)
def test_a_session_still_lacks(changes: dict[str, Any], missing: int | None):
    assert still_missing(**BEGUN | changes) == missing
