"""Connections to PostgreSQL: both ends notice within seconds that the other machine is gone.

A machine that dies, or is cut off, says no word. Without these options its partner waits for a quarter of an hour, and
the database keeps for two hours what the transactions of that machine have locked.
"""

from collections.abc import Mapping
from typing import Any

CONNECT_SECONDS = 5
GONE_SECONDS = 10
"""The time after which a machine that answers nothing is gone. Work of a dead process is given to another one later
than that (`runtime.runs.HELD`): what was cut off has failed by then."""
IDLE_SECONDS, PROBE_SECONDS, PROBE_COUNT = 4, 2, 3
"""Seconds of silence before the first question whether the other machine is there, between two, and how many."""


def connection_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of psycopg2 with which a connection ends soon; what DATABASE_URL gives counts more."""
    ours = {
        "tcp_keepalives_idle": IDLE_SECONDS,
        "tcp_keepalives_interval": PROBE_SECONDS,
        "tcp_keepalives_count": PROBE_COUNT,
        "tcp_user_timeout": GONE_SECONDS * 1000,
    }
    of_server = " ".join(f"-c {name}={value}" for name, value in ours.items())
    return {
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": IDLE_SECONDS,
        "keepalives_interval": PROBE_SECONDS,
        "keepalives_count": PROBE_COUNT,
        "tcp_user_timeout": GONE_SECONDS * 1000,
        **given,
        "options": f"{of_server} {given.get('options', '')}".rstrip(),
    }
