"""Moments when a session on a platform may be handed in."""

from typing import Any

from platforms.rules.session_end import still_missing

BEGUN: dict[str, Any] = {
    "done": 0,
    "least": 2,
    "passed": False,
    "tested": False,
    "pays_tests": False,
    "nothing_open": False,
}


LACKS: dict[str, tuple[dict[str, Any], int | None]] = {
    "it has the assignments that it needs": ({"done": 2}, None),
    "or more": ({"done": 3}, None),
    "the missing ones are asked for while there is work": ({}, 2),
    "down to the last": ({"done": 1}, 1),
    "nothing more is open: what was done is enough": ({"done": 1, "nothing_open": True}, None),
    "a passed test is something": ({"tested": True, "passed": True, "nothing_open": True}, None),
    "not while there is work": ({"tested": True, "passed": True}, 2),
    "a failed test is nothing": ({"tested": True, "nothing_open": True}, 0),
    "unless the offer pays it": ({"tested": True, "pays_tests": True}, None),
    "a worker who did nothing gives the place back": ({"nothing_open": True}, 0),
}


def test_a_session_still_lacks():
    found = {case: still_missing(**BEGUN | changes) for case, (changes, _) in LACKS.items()}
    assert found == {case: missing for case, (_, missing) in LACKS.items()}
